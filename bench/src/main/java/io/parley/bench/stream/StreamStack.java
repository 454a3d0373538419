package io.parley.bench.stream;

import java.util.List;

/** A library with one or more stream contenders. {@link java.util.ServiceLoader} locates the stacks in the order of the report. */
public interface StreamStack {

    /** Returns the contenders, also those that cannot run here. */
    List<StreamContender> contenders();
}
