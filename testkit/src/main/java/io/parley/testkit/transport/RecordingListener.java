package io.parley.testkit.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records the events of a connection, and every call that violates the contract of {@link ConnectionListener}: off the
 * executor, inside another call, or after the end. Thread-safe.
 */
public final class RecordingListener implements ConnectionListener {

    private final Connection connection;
    private final CompletableFuture<Optional<Throwable>> closed = new CompletableFuture<>();
    private final List<byte[]> frames = new ArrayList<>();
    private final Set<String> faults = new LinkedHashSet<>();
    /** The action for each frame; {@code null} keeps a copy. */
    private @Nullable Consumer<ByteBuf> frameAction;

    private Runnable readCompleteAction = () -> {};
    private Runnable writableAction = () -> {};
    private Consumer<Optional<Throwable>> closedAction = cause -> {};
    private int frameCount;
    private long frameBytes;
    private int writableCount;
    private boolean inRead;
    private boolean inCall;

    /** Creates the listener of a connection, which {@link #start} starts. */
    public RecordingListener(Connection connection) {
        this.connection = connection;
    }

    /** Runs the action for each frame, which is borrowed for the call, instead of keeping a copy. */
    public synchronized RecordingListener onFrame(Consumer<ByteBuf> action) {
        frameAction = action;
        return this;
    }

    /** Runs the action after the frames of each read. */
    public synchronized RecordingListener onReadComplete(Runnable action) {
        readCompleteAction = action;
        return this;
    }

    /** Runs the action when the connection has become writable again. */
    public synchronized RecordingListener onWritable(Runnable action) {
        writableAction = action;
        return this;
    }

    /** Runs the action when the connection is closed. */
    public synchronized RecordingListener onClosed(Consumer<Optional<Throwable>> action) {
        closedAction = action;
        return this;
    }

    /** Starts the connection with this listener. */
    public RecordingListener start() {
        connection.start(this);
        return this;
    }

    /** Keeps a copy of the frame, for {@link #frames}. */
    public synchronized void keep(ByteBuf frame) {
        frames.add(ByteBufUtil.getBytes(frame));
    }

    /** Returns the connection. */
    public Connection connection() {
        return connection;
    }

    /** Returns copies of the frames that were kept. */
    public synchronized List<byte[]> frames() {
        return List.copyOf(frames);
    }

    /** Returns the number of frames received, kept or not. */
    public synchronized int frameCount() {
        return frameCount;
    }

    /** Returns the bytes of the frames received, kept or not. */
    public synchronized long frameBytes() {
        return frameBytes;
    }

    /** Returns how often the connection became writable again. */
    public synchronized int writableCount() {
        return writableCount;
    }

    /** Returns a future that completes with the cause when the connection is closed. */
    public CompletableFuture<Optional<Throwable>> closed() {
        return closed;
    }

    /** Returns the violations of the contract. */
    public synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    /** Records a violation of the contract that a test has found. */
    public synchronized void fault(String text) {
        faults.add(text);
    }

    @Override
    public void onFrame(ByteBuf frame) {
        Consumer<ByteBuf> action;
        synchronized (this) {
            inRead = true;
            frameCount++;
            frameBytes += frame.readableBytes();
            action = frameAction;
            if (action == null) {
                keep(frame); // here, so that a reader of the count finds the frame
            }
        }
        call("onFrame", () -> {
            if (action != null) {
                action.accept(frame);
            }
        });
    }

    @Override
    public void onReadComplete() {
        Runnable action;
        synchronized (this) {
            if (!inRead && connection.partialFrameBytes() == 0) {
                faults.add("onReadComplete without a frame or a part of one");
            }
            inRead = false;
            action = readCompleteAction;
        }
        call("onReadComplete", action);
    }

    @Override
    public void onWritable() {
        Runnable action;
        synchronized (this) {
            writableCount++;
            action = writableAction;
        }
        call("onWritable", action);
    }

    @Override
    public void onClosed(@Nullable Throwable cause) {
        Optional<Throwable> reported = Optional.ofNullable(cause);
        Consumer<Optional<Throwable>> action;
        synchronized (this) {
            action = closedAction;
        }
        call("onClosed", () -> {
            closed.complete(reported);
            action.accept(reported);
        });
    }

    private void call(String name, Runnable action) {
        synchronized (this) {
            if (!connection.executor().inEventLoop()) {
                faults.add(name + " off the executor");
            }
            if (inCall) {
                faults.add(name + " inside another call");
            }
            if (closed.isDone()) {
                faults.add(name + " after onClosed");
            }
            inCall = true;
        }
        try {
            action.run();
        } finally {
            synchronized (this) {
                inCall = false;
            }
        }
    }
}
