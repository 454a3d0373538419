package io.parley.bench.check;

/** The outcome of the comparison of one target with the results of a run. Only {@link #MET} is a pass. */
enum Verdict {
    /** The whole 95 % interval of the median is on the right side of the limit. */
    MET("held"),
    /** The median is on the wrong side of the limit. */
    MISSED("MISSED"),
    /** The median is on the right side, but the interval contains the limit, or the rounds are too few for a verdict. */
    OPEN("OPEN"),
    /** The run has no such figure. */
    UNMEASURED("ABSENT");

    private final String label;

    Verdict(String label) {
        this.label = label;
    }

    /** Returns the first word of the line on the console. */
    String label() {
        return label;
    }
}
