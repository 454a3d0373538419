package io.parley.bench.worker;

/** A process of a contender failed, died or fell silent: this measurement has no figure. */
public final class WorkerException extends Exception {

    WorkerException(String message) {
        super(message);
    }
}
