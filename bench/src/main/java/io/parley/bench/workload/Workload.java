package io.parley.bench.workload;

import io.parley.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * A kind of message: what programs say to each other over and over. The messages of one kind differ as they would in
 * life, so that a codec that remembers what was said gains no more than it would there. Everything is seeded: the n-th
 * message is the same in every run.
 */
public final class Workload {

    private static final int SMALLEST_BINARY = 1 << 10;
    private static final int LARGER_BINARY = 64 << 10;
    private static final int LARGEST_BINARY = 1 << 20;
    private static final List<Workload> ALL = everything();

    private final String name;
    private final IntFunction<Message> messages;

    private Workload(String name, IntFunction<Message> messages) {
        this.name = name;
        this.messages = messages;
    }

    private static List<Workload> everything() {
        List<Workload> all = new ArrayList<>(List.of(
                new Workload("small-xml", new OrderWorkload()::message),
                new Workload("binary-1k", new BinaryWorkload(SMALLEST_BINARY)::message),
                new Workload("binary-64k", new BinaryWorkload(LARGER_BINARY)::message),
                new Workload("binary-1m", new BinaryWorkload(LARGEST_BINARY)::message)));
        for (int records : EmployeeFile.records()) {
            all.add(new Workload("employees-" + records, variant -> EmployeeWorkload.message(records, variant)));
        }
        all.add(new Workload("advertisements", new AdvertisementWorkload()::message));
        return List.copyOf(all);
    }

    /** All of them, in the order of the report. */
    public static List<Workload> all() {
        return ALL;
    }

    /** The one of that name. */
    public static Workload named(String name) {
        return ALL.stream()
                .filter(composition -> composition.name.equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("composition: %s (expected: one of %s)".formatted(name, ALL)));
    }

    /** The word for it in results. */
    public String name() {
        return name;
    }

    /** The message at that place of the conversation, from 0 on. */
    public Message message(int place) {
        return messages.apply(place);
    }

    @Override
    public String toString() {
        return name;
    }
}
