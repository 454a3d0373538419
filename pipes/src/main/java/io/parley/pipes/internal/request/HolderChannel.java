package io.parley.pipes.internal.request;

import io.parley.endpoint.Messenger;
import io.parley.id.PeerId;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The messenger to one of several holders of a service, and the number of its pending requests. Thread-safe. */
public final class HolderChannel {

    private final Messenger messenger;
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicBoolean checking = new AtomicBoolean();
    private volatile boolean connected = true;
    private volatile long lossNanos;

    HolderChannel(Messenger messenger) {
        this.messenger = messenger;
    }

    public PeerId peer() {
        return messenger.peer();
    }

    public Messenger messenger() {
        return messenger;
    }

    /** Returns the number of requests that were sent to the holder and have no response. */
    int pending() {
        return pending.get();
    }

    void addRequest() {
        pending.incrementAndGet();
    }

    void removeRequest() {
        pending.decrementAndGet();
    }

    /** Returns whether the caller must check later whether the holder is connected. Returns false if another one will. */
    boolean tryStartCheck() {
        return checking.compareAndSet(false, true);
    }

    void endCheck() {
        checking.set(false);
    }

    /** Sets the time from which the holder must be connected again soon. */
    void setLossNanos(long nanos) {
        lossNanos = nanos;
    }

    long lossNanos() {
        return lossNanos;
    }

    public boolean isConnected() {
        return connected;
    }

    /** Sets whether there is a connection. A holder without one is used only if there is no other. */
    void setConnected(boolean value) {
        connected = value;
    }
}
