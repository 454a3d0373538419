package io.parley.bench.worker;

/** Thrown if a process of a contender failed, ended or did not reply in time. The measurement has no figure. */
public final class WorkerException extends Exception {

    WorkerException(String message) {
        super(message);
    }
}
