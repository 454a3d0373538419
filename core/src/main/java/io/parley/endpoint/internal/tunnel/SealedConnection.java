package io.parley.endpoint.internal.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The frames inside the TLS tunnel of a link. They are collected until the flush, and then sealed together, so that small frames share
 * the records. A frame that has not been flushed is not sealed. Confined to the event loop of the link.
 */
public final class SealedConnection implements Connection {

    /** The content of a TLS record, at most. */
    private static final int RECORD_BYTES = 16 * 1024;

    /** The bytes that are sealed at most into one frame of the link: as many full records as fit into it. */
    private static final int BATCH_BYTES = 7 * RECORD_BYTES;

    /** The length of each frame in front of it. */
    static final int LENGTH_BYTES = Integer.BYTES;

    /** The largest frame, in bytes. */
    static final int MAX_FRAME_BYTES = BATCH_BYTES - LENGTH_BYTES;

    /** The largest message that is sent in one frame, and the size of the fragments of larger messages, in bytes. */
    public static final int FRAGMENT_BYTES = MAX_FRAME_BYTES - 64;

    /** More than TLS adds to a record. BoringSSL demands some free bytes besides those that it writes. */
    private static final int RECORD_OVERHEAD = 512;

    private static final int FIRST_BATCH_BYTES = 1024;

    private final Connection connection;
    private final PeerId peer;
    private final FrameWriter frames;
    private List<WriteListener> listeners = new ArrayList<>(1);
    private @Nullable TlsSession session;
    private @Nullable ByteBuf batch;
    private boolean reading;
    private boolean flushScheduled;

    /**
     * Creates a connection that drops all frames until {@link #open}.
     *
     * @param connection the connection of the link
     * @param peer       the peer that is authenticated when the connection is open
     */
    SealedConnection(Connection connection, PeerId peer) {
        this.connection = connection;
        this.peer = peer;
        this.frames = new FrameWriter(connection.allocator());
    }

    /** Seals frames by a session, which is borrowed until {@link #end}. */
    void open(TlsSession authenticated) {
        session = authenticated;
    }

    /** Drops the frames that are not sealed, and all later ones. */
    void end() {
        session = null;
        if (batch != null) {
            batch.release();
            batch = null;
        }
        failListeners();
    }

    private void failListeners() {
        List<WriteListener> failed = listeners;
        listeners = new ArrayList<>(1);
        if (!failed.isEmpty()) {
            Throwable cause = closedException();
            failed.forEach(listener -> listener.onWritten(cause));
        }
    }

    private Throwable closedException() {
        return ErrorCode.DISCONNECTED.exception("secure channels to peer " + peer.shortText() + ": closed");
    }

    @Override
    public void write(ByteBuf frame, @Nullable WriteListener done) {
        if (session == null) {
            frame.release();
            if (done != null) {
                done.onWritten(closedException());
            }
            return;
        }
        try {
            int length = frame.readableBytes();
            if (length > MAX_FRAME_BYTES) {
                throw new IllegalArgumentException(
                        "frame: " + length + " bytes (expected: <= " + MAX_FRAME_BYTES + ")");
            }
            ByteBuf out = room(LENGTH_BYTES + length);
            out.ensureWritable(LENGTH_BYTES + length).writeInt(length);
            frame.readBytes(out, length); // not out.writeBytes, which first merges the components of a composite buffer
        } finally {
            frame.release();
        }
        if (done != null) {
            listeners.add(done);
        }
    }

    @Override
    public boolean tryAppend(FrameSource frame) {
        ByteBuf out = batch;
        if (session == null || out == null) {
            return false;
        }
        int start = out.writerIndex();
        int room = BATCH_BYTES - out.readableBytes() - LENGTH_BYTES;
        if (room <= 0) {
            return false;
        }
        boolean written = false;
        try {
            out.writeInt(0);
            written = frame.writeTo(out, room);
            if (written) {
                out.setInt(start, out.writerIndex() - start - LENGTH_BYTES);
            }
        } finally {
            if (!written) {
                out.writerIndex(start);
            }
        }
        return written;
    }

    /** Returns a batch with room for that many bytes. */
    private ByteBuf room(int bytes) {
        if (batch != null && batch.readableBytes() + bytes > BATCH_BYTES) {
            seal();
        }
        ByteBuf present = batch;
        if (present == null) {
            present = connection.allocator().ioBuffer(Math.max(bytes, FIRST_BATCH_BYTES), BATCH_BYTES);
            batch = present;
        }
        return present;
    }

    private void seal() {
        ByteBuf plain = batch;
        TlsSession present = session;
        if (plain == null || present == null) {
            return;
        }
        batch = null;
        int records = plain.readableBytes() / RECORD_BYTES + 1;
        ByteBuf sealed = frames.sealed(plain.readableBytes() + records * RECORD_OVERHEAD);
        List<WriteListener> done = listeners;
        listeners = new ArrayList<>(1);
        try {
            present.seal(plain, sealed);
        } catch (SSLException e) {
            sealed.release();
            connection.abort(ErrorCode.PROTOCOL_VIOLATION.exception(
                    "secure channels to peer " + peer.shortText() + ": TLS failed: " + e.getMessage(), e));
            done.forEach(listener -> listener.onWritten(e));
            return;
        } finally {
            plain.release();
        }
        connection.write(
                sealed, done.isEmpty() ? null : failure -> done.forEach(listener -> listener.onWritten(failure)));
    }

    /** Notes that frames are delivered until {@link #onReadComplete}. */
    void onRead() {
        reading = true;
    }

    void onReadComplete() {
        reading = false;
        if (flushScheduled) {
            flushNow();
        }
    }

    /** Seals at the end of the present read, or after the present task: once for all frames until then. */
    @Override
    public void runAfterPoll(Runnable task) {
        connection.runAfterPoll(task);
    }

    @Override
    public void flush() {
        if (flushScheduled) {
            return;
        }
        flushScheduled = true;
        if (!reading) {
            try {
                connection.executor().execute(this::flushNow);
            } catch (RejectedExecutionException e) {
                flushScheduled = false; // the connection is closed
            }
        }
    }

    /** Seals and sends the frames that were written. */
    void flushNow() {
        flushScheduled = false;
        seal();
        connection.flush();
    }

    @Override
    public boolean isWritable() {
        return session != null && connection.isWritable();
    }

    @Override
    public EndpointAddress remoteAddress() {
        return connection.remoteAddress();
    }

    @Override
    public boolean isDialer() {
        return connection.isDialer();
    }

    @Override
    public PeerId authenticatedPeer() {
        return peer;
    }

    @Override
    public EventExecutor executor() {
        return connection.executor();
    }

    @Override
    public ByteBufAllocator allocator() {
        return connection.allocator();
    }

    @Override
    public void start(ConnectionListener listener) {
        throw new UnsupportedOperationException("the tunnel delivers the frames");
    }

    @Override
    public void setReading(boolean value) {
        connection.setReading(value);
    }

    @Override
    public void completeHandshake(int maxFrameBytes) {
        // the link has done that
    }

    @Override
    public void close() {
        flushNow();
        connection.close();
    }

    @Override
    public void abort(@Nullable Throwable cause) {
        connection.abort(cause);
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return connection.whenClosed();
    }
}
