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
 * Keeps what a connection tells it, and notes every call that the contract of {@link ConnectionListener} rules out: off the
 * executor, inside another call, or after the end. Tests read it from their own thread.
 */
public final class RecordingListener implements ConnectionListener {

    private final Connection connection;
    private final CompletableFuture<Optional<Throwable>> closed = new CompletableFuture<>();
    private final List<byte[]> frames = new ArrayList<>();
    private final Set<String> faults = new LinkedHashSet<>();
    /** {@code null}: keep it. */
    private @Nullable Consumer<ByteBuf> frameAction;

    private Runnable writableAction = () -> {};
    private Consumer<Optional<Throwable>> closedAction = cause -> {};
    private int frameCount;
    private long frameBytes;
    private int writableCount;
    private boolean inCall;

    /** To be passed to that connection's {@link Connection#start}. */
    public RecordingListener(Connection connection) {
        this.connection = connection;
    }

    /** Does that with each frame, borrowed for the call, instead of keeping a copy. */
    public synchronized RecordingListener onFrame(Consumer<ByteBuf> action) {
        frameAction = action;
        return this;
    }

    /** Does that when the connection has become writable again. */
    public synchronized RecordingListener onWritable(Runnable action) {
        writableAction = action;
        return this;
    }

    /** Does that at the end. */
    public synchronized RecordingListener onClosed(Consumer<Optional<Throwable>> action) {
        closedAction = action;
        return this;
    }

    /** Passes it to the connection's {@link Connection#start}. */
    public RecordingListener start() {
        connection.start(this);
        return this;
    }

    /** Keeps a copy of the frame, for {@link #frames}. */
    public synchronized void keep(ByteBuf frame) {
        frames.add(ByteBufUtil.getBytes(frame));
    }

    /** The connection it listens to. */
    public Connection connection() {
        return connection;
    }

    /** Copies of the frames that were kept. */
    public synchronized List<byte[]> frames() {
        return List.copyOf(frames);
    }

    /** How many frames came, kept or not. */
    public synchronized int frameCount() {
        return frameCount;
    }

    /** How many bytes came in frames, kept or not. */
    public synchronized long frameBytes() {
        return frameBytes;
    }

    /** How often the connection became writable again. */
    public synchronized int writableCount() {
        return writableCount;
    }

    /** Completes with the cause that the end had. */
    public CompletableFuture<Optional<Throwable>> closed() {
        return closed;
    }

    /** What the connection did against the contract. */
    public synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    /** Notes something that a test found to be against the contract. */
    public synchronized void fault(String text) {
        faults.add(text);
    }

    @Override
    public void onFrame(ByteBuf frame) {
        Consumer<ByteBuf> action;
        synchronized (this) {
            frameCount++;
            frameBytes += frame.readableBytes();
            action = frameAction;
            if (action == null) {
                keep(frame); // here, so that whoever sees the count finds the frame
            }
        }
        call("onFrame", () -> {
            if (action != null) {
                action.accept(frame);
            }
        });
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
        Optional<Throwable> told = Optional.ofNullable(cause);
        Consumer<Optional<Throwable>> action;
        synchronized (this) {
            action = closedAction;
        }
        call("onClosed", () -> {
            closed.complete(told);
            action.accept(told);
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
