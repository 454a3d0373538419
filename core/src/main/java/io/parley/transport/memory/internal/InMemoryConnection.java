package io.parley.transport.memory.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** One end of a connection in memory. A flush moves the written frames to the inbox of the remote end without copying. */
public final class InMemoryConnection implements Connection {

    /** The address scheme. */
    public static final String SCHEME = "mem";

    private static final long HIGH_WATER_BYTES = 1024 * 1024;
    private static final long LOW_WATER_BYTES = HIGH_WATER_BYTES / 2;
    private static final int FRAMES_PER_RUN = 64;

    /** The last item of an inbox: the remote end has closed or aborted. */
    private record CloseMarker(boolean orderly) {}

    /** An item of the inbox on a wire with a delay. It must not be delivered before it is due. */
    private record InFlight(Object item, long dueNanos) {}

    private record PendingWrite(ByteBuf frame, @Nullable WriteListener done) {}

    private final EventExecutor executor;
    private final EndpointAddress remoteAddress;
    private final boolean dialer;
    private final @Nullable PeerId authenticatedPeer;
    private final SimulatedWire wire;
    private @Nullable InMemoryConnection other;

    private final Queue<Object> inbox = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean delivering = new AtomicBoolean();
    private final AtomicLong unread = new AtomicLong();
    private final AtomicBoolean blocked = new AtomicBoolean();
    private final Queue<PendingWrite> unflushed = new ArrayDeque<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private @Nullable ConnectionListener listener;
    private int maxFrameBytes = MAX_HANDSHAKE_FRAME_BYTES;
    private boolean reading = true;

    /** Whether the remote end has aborted. It discards the inbox, while this end may be about to deliver a later frame. */
    private volatile boolean discarding;

    private boolean awaitingArrival;
    private boolean ended;
    private @Nullable Throwable cause;
    private boolean closeNotified;

    private InMemoryConnection(
            EventExecutor executor,
            EndpointAddress remoteAddress,
            boolean dialer,
            @Nullable PeerId authenticatedPeer,
            SimulatedWire wire) {
        this.executor = executor;
        this.remoteAddress = remoteAddress;
        this.dialer = dialer;
        this.authenticatedPeer = authenticatedPeer;
        this.wire = wire;
    }

    /** Connects two ends without a delay. Returns the end of the dialer; its {@link #other()} is the end of the acceptor. */
    public static InMemoryConnection connect(
            EventExecutor dialerExecutor,
            EndpointAddress dialerAddress,
            @Nullable PeerId dialerPeer,
            EventExecutor acceptorExecutor,
            EndpointAddress acceptorAddress,
            @Nullable PeerId acceptorPeer) {
        return connect(
                dialerExecutor,
                dialerAddress,
                dialerPeer,
                acceptorExecutor,
                acceptorAddress,
                acceptorPeer,
                new SimulatedWire(Duration.ZERO, Scheduler.system()));
    }

    static InMemoryConnection connect(
            EventExecutor dialerExecutor,
            EndpointAddress dialerAddress,
            @Nullable PeerId dialerPeer,
            EventExecutor acceptorExecutor,
            EndpointAddress acceptorAddress,
            @Nullable PeerId acceptorPeer,
            SimulatedWire wire) {
        InMemoryConnection dialer = new InMemoryConnection(dialerExecutor, acceptorAddress, true, acceptorPeer, wire);
        InMemoryConnection acceptor = new InMemoryConnection(acceptorExecutor, dialerAddress, false, dialerPeer, wire);
        dialer.other = acceptor;
        acceptor.other = dialer;
        return dialer;
    }

    /** Returns the remote end. */
    public InMemoryConnection other() {
        InMemoryConnection end = other;
        if (end == null) {
            throw new IllegalStateException("not connected");
        }
        return end;
    }

    SimulatedWire wire() {
        return wire;
    }

    @Override
    public EndpointAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public boolean isDialer() {
        return dialer;
    }

    @Override
    public @Nullable PeerId authenticatedPeer() {
        return authenticatedPeer;
    }

    @Override
    public EventExecutor executor() {
        return executor;
    }

    @Override
    public ByteBufAllocator allocator() {
        return ByteBufAllocator.DEFAULT;
    }

    @Override
    public void start(ConnectionListener toCall) {
        run(() -> {
            listener = toCall;
            if (ended) {
                execute(this::notifyClosed);
            } else {
                scheduleDelivery();
            }
        });
    }

    @Override
    public void write(ByteBuf frame, @Nullable WriteListener done) {
        if (ended) {
            frame.release();
            notifyWritten(done, closedException());
            return;
        }
        unread.addAndGet(frame.readableBytes());
        unflushed.add(new PendingWrite(frame, done));
    }

    @Override
    public void flush() {
        if (unflushed.isEmpty()) {
            return;
        }
        InMemoryConnection target = other();
        PendingWrite next;
        while ((next = unflushed.poll()) != null) {
            if (wire.isCut()) {
                next.frame.release();
            } else {
                target.inbox.add(sent(next.frame));
            }
            notifyWritten(next.done, null);
        }
        target.scheduleDelivery();
    }

    private Object sent(Object item) {
        return wire.hasDelay() ? new InFlight(item, wire.arrivalNanos()) : item;
    }

    @Override
    public boolean isWritable() {
        if (ended) {
            return false;
        }
        if (unread.get() < HIGH_WATER_BYTES) {
            return true;
        }
        blocked.set(true);
        return unread.get() < HIGH_WATER_BYTES;
    }

    @Override
    public void setReading(boolean value) {
        reading = value;
        if (value) {
            scheduleDelivery();
        }
    }

    @Override
    public void completeHandshake(int bytes) {
        maxFrameBytes = bytes;
    }

    @Override
    public void close() {
        run(() -> {
            if (!ended) {
                flush();
                end(true, null);
            }
        });
    }

    @Override
    public void abort(@Nullable Throwable reason) {
        run(() -> {
            if (!ended) {
                end(false, reason);
            } else if (cause == null) {
                cause = reason; // reported if the listener has not been notified yet
            }
        });
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed;
    }

    private void run(Runnable task) {
        if (executor.inEventLoop()) {
            task.run();
        } else {
            execute(task);
        }
    }

    private void execute(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            discardInbox(); // the executor has shut down, and this end with it
        }
    }

    private void scheduleDelivery() {
        if (delivering.compareAndSet(false, true)) {
            execute(this::deliver);
        }
    }

    private void deliver() {
        delivering.set(false);
        ConnectionListener target = listener;
        if (ended || wire.isCut()) {
            discardInbox();
        } else if (target != null) {
            deliverArrived(target);
        }
    }

    private void deliverArrived(ConnectionListener target) {
        boolean more = true;
        boolean delivered = false;
        for (int polled = 0; more && reading && !ended && polled < FRAMES_PER_RUN; polled++) {
            Object next = pollArrived();
            more = next != null;
            if (next != null) {
                delivered |= deliver(next, target);
            }
        }
        if (delivered && !ended) {
            notifyReadComplete(target);
        }
        if (more && (ended || (reading && !inbox.isEmpty()))) {
            scheduleDelivery();
        }
    }

    private void notifyReadComplete(ConnectionListener target) {
        try {
            target.onReadComplete();
        } catch (Throwable e) {
            abort(e);
        }
    }

    /** Returns the next item of the inbox, or null if there is none or it has not arrived. */
    private @Nullable Object pollArrived() {
        if (inbox.peek() instanceof InFlight next) {
            long nanos = next.dueNanos - wire.scheduler().nanoTime();
            if (nanos > 0) {
                awaitArrival(nanos);
                return null;
            }
        }
        Object arrived = inbox.poll();
        return arrived instanceof InFlight inFlight ? inFlight.item : arrived;
    }

    private void awaitArrival(long nanos) {
        if (!awaitingArrival) {
            awaitingArrival = true;
            wire.scheduler().schedule(Duration.ofNanos(nanos), () -> execute(this::onArrival));
        }
    }

    private void onArrival() {
        awaitingArrival = false;
        scheduleDelivery();
    }

    /** Returns whether the listener got a frame. */
    private boolean deliver(Object next, ConnectionListener target) {
        if (next instanceof ByteBuf frame && discarding) {
            frame.release(); // earlier frames may be gone, and a connection has no gaps
        } else if (next instanceof ByteBuf frame) {
            int bytes = frame.readableBytes();
            try {
                if (bytes > maxFrameBytes) {
                    throw ErrorCode.LIMIT_EXCEEDED.exception(
                            "frame: " + bytes + " bytes (expected: <= " + maxFrameBytes + ")");
                }
                target.onFrame(frame);
            } catch (Throwable e) {
                abort(e);
            } finally {
                frame.release();
                other().onRead(bytes);
            }
            return true;
        } else if (next instanceof CloseMarker end) {
            close(end.orderly ? null : ErrorCode.DISCONNECTED.exception("the remote peer aborted the connection"));
        }
        return false;
    }

    /** Accounts for bytes that the remote end has read. Called on its thread. */
    private void onRead(long bytes) {
        if (unread.addAndGet(-bytes) <= LOW_WATER_BYTES && blocked.compareAndSet(true, false)) {
            execute(this::notifyWritable);
        }
    }

    private void notifyWritable() {
        if (!ended && listener != null) {
            try {
                listener.onWritable();
            } catch (Throwable e) {
                abort(e);
            }
        }
    }

    private void end(boolean orderly, @Nullable Throwable reason) {
        if (!wire.isCut()) {
            InMemoryConnection target = other();
            if (!orderly) {
                target.discarding = true;
                target.discardInbox();
            }
            target.inbox.add(sent(new CloseMarker(orderly)));
            target.scheduleDelivery();
        }
        close(reason);
    }

    private void close(@Nullable Throwable reason) {
        ended = true;
        cause = reason;
        PendingWrite next;
        while ((next = unflushed.poll()) != null) {
            next.frame.release();
            notifyWritten(next.done, closedException());
        }
        discardInbox();
        execute(this::notifyClosed); // later, because the listener may be in another call
    }

    private void notifyClosed() {
        try {
            if (!closeNotified && listener != null) {
                closeNotified = true;
                listener.onClosed(cause);
            }
        } finally {
            closed.complete(null);
        }
    }

    private void notifyWritten(@Nullable WriteListener done, @Nullable Throwable failure) {
        if (done != null) {
            try {
                done.onWritten(failure);
            } catch (Throwable e) {
                abort(e);
            }
        }
    }

    private void discardInbox() {
        Object next;
        while ((next = inbox.poll()) != null) {
            Object item = next instanceof InFlight inFlight ? inFlight.item : next;
            if (item instanceof ByteBuf frame) {
                frame.release();
            }
        }
    }

    private static Throwable closedException() {
        return ErrorCode.DISCONNECTED.exception("the connection is closed");
    }
}
