package io.parley.bench.suite;

/** The compositions of a message of 20 KB in the cost study, figure 6. */
enum Composition {
    ONE(1),
    FIVE(5),
    TEN(10),
    TWENTY(20);

    static final int BYTES = 20 << 10;

    private final int elements;

    Composition(int elements) {
        this.elements = elements;
    }

    int elements() {
        return elements;
    }

    /** Returns the form in results, such as "5 x 4 KB". */
    String label() {
        return "%d x %d KB".formatted(elements, (BYTES / elements) >> 10);
    }
}
