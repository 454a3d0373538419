package io.parley.bench.worker;

import java.util.Optional;
import java.util.stream.Stream;

/** The processors on which the two processes of a pair run. */
public enum Placement {
    /** The scheduler of the operating system decides, and may change its decision at any time. */
    ANY("any", "any processor, by the scheduler"),
    /** Each process has one half of the processors. Every message includes the cost of waking another processor. */
    APART("apart", "each process on processors of its own"),
    /** Both processes share one processor. No message includes that cost, and event loops do not spin. */
    TOGETHER("together", "both processes on one processor");

    private final String label;
    private final String description;

    Placement(String label, String description) {
        this.label = label;
        this.description = description;
    }

    /** Returns the placement with this name on the command line; empty if there is none. */
    public static Optional<Placement> of(String label) {
        return Stream.of(values())
                .filter(placement -> placement.label.equals(label))
                .findFirst();
    }

    /** Returns the name on the command line. */
    public String label() {
        return label;
    }

    /** Returns the description for the report. */
    public String description() {
        return description;
    }
}
