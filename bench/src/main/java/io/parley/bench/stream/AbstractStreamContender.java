package io.parley.bench.stream;

import java.util.List;

/** The name, description and comparators of a stream contender. */
public abstract class AbstractStreamContender implements StreamContender {

    private final String name;
    private final String description;
    private final List<String> comparators;

    /** Creates a contender that is compared with {@code comparators}. */
    protected AbstractStreamContender(String name, String description, String... comparators) {
        this.name = name;
        this.description = description;
        this.comparators = List.of(comparators);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String description() {
        return description;
    }

    @Override
    public final List<String> comparators() {
        return comparators;
    }
}
