package io.parley.bench.workload;

import io.parley.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * A kind of message that programs exchange repeatedly. The messages of one kind differ as they would in a real
 * program, so that a codec with state does not gain more than it would there. All random values are seeded: the n-th
 * message is the same in every run.
 */
public final class Workload {

    private static final int SMALL_BINARY_BYTES = 1 << 10;
    private static final int MEDIUM_BINARY_BYTES = 64 << 10;
    private static final int LARGE_BINARY_BYTES = 1 << 20;
    private static final List<Workload> ALL = createAll();

    private final String name;
    private final IntFunction<Message> messages;

    private Workload(String name, IntFunction<Message> messages) {
        this.name = name;
        this.messages = messages;
    }

    private static List<Workload> createAll() {
        List<Workload> all = new ArrayList<>(List.of(
                new Workload("small-xml", new OrderWorkload()::message),
                new Workload("binary-1k", new BinaryWorkload(SMALL_BINARY_BYTES)::message),
                new Workload("binary-64k", new BinaryWorkload(MEDIUM_BINARY_BYTES)::message),
                new Workload("binary-1m", new BinaryWorkload(LARGE_BINARY_BYTES)::message)));
        for (int records : EmployeeFile.records()) {
            all.add(new Workload("employees-" + records, variant -> EmployeeWorkload.message(records, variant)));
        }
        all.add(new Workload("advertisements", new AdvertisementWorkload()::message));
        return List.copyOf(all);
    }

    /** Returns all workloads in the order of the report. */
    public static List<Workload> all() {
        return ALL;
    }

    /** Returns the workload with that name. */
    public static Workload named(String name) {
        return ALL.stream()
                .filter(workload -> workload.name.equals(name))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("workload: %s (expected: one of %s)".formatted(name, ALL)));
    }

    /** Returns the name in results. */
    public String name() {
        return name;
    }

    /** Returns the message at {@code index}, starting at 0. */
    public Message message(int index) {
        return messages.apply(index);
    }

    @Override
    public String toString() {
        return name;
    }
}
