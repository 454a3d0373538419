package io.parley.endpoint.internal.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.parley.endpoint.internal.context.EndpointContext;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A TLS engine with the buffers of Netty. The records of the remote peer are passed in their order, and whole. Not thread-safe, except
 * for {@link #session}.
 */
public final class TlsSession {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** The number of attempts to read one record, between which the engine may have written some or run tasks. */
    private static final int MAX_ATTEMPTS = 10;

    private final SSLEngine engine;
    private boolean handshakeDone;

    /** The free bytes that the engine needs to write a record; 0 if it needs no more than the record has. */
    private int recordRoom;

    /** Takes ownership of the engine. */
    public TlsSession(SSLEngine engine) {
        this.engine = engine;
    }

    /** Starts the handshake. The caller must {@link #writeHandshake}. */
    public void begin() throws SSLException {
        engine.beginHandshake();
    }

    /** Returns whether both peers have completed the handshake. The certificates of the remote peer may be unverified then. */
    boolean isHandshakeDone() {
        return handshakeDone;
    }

    /** Returns the session, which has the certificates of the remote peer after the handshake. */
    SSLSession session() {
        return engine.getSession();
    }

    /** Returns whether records of this peer must be written before more of the remote peer can be read. */
    private boolean mustWriteHandshake() {
        HandshakeStatus status = engine.getHandshakeStatus();
        return status == HandshakeStatus.NEED_WRAP || status == HandshakeStatus.NEED_TASK;
    }

    /**
     * Appends the records of the handshake, or of an alert, that are due to {@code out}, which is borrowed for this call. After a task,
     * BoringSSL states its need only when it is called again.
     */
    public void writeHandshake(ByteBuf out) throws SSLException {
        writeDue(out, false);
    }

    private void writeDue(ByteBuf out, boolean demanded) throws SSLException {
        boolean due = runTasks() || demanded || engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP;
        while (due) {
            out.ensureWritable(engine.getSession().getPacketBufferSize()); // BoringSSL does not report an overflow here
            SSLEngineResult result = wrap(NOTHING.duplicate(), out);
            boolean ranTasks = runTasks();
            boolean more = result.bytesProduced() > 0 && result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP;
            due = result.getStatus() != SSLEngineResult.Status.CLOSED && (ranTasks || more);
        }
    }

    /** Appends the records with the readable bytes of {@code plain} to {@code out}. Both are borrowed for this call. */
    public void seal(ByteBuf plain, ByteBuf out) throws SSLException {
        writeAll(plain.nioBuffer(), out);
        writeHandshake(out); // such as an update of the key
        plain.skipBytes(plain.readableBytes());
    }

    private void writeAll(ByteBuffer source, ByteBuf out) throws SSLException {
        while (source.hasRemaining()) {
            SSLEngineResult result = wrap(source, out);
            if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                throw new SSLException("the TLS session is closed");
            }
            if (!runTasks() && result.bytesConsumed() == 0 && result.bytesProduced() == 0) {
                throw new SSLException("the TLS session does not accept content");
            }
        }
    }

    private SSLEngineResult wrap(ByteBuffer source, ByteBuf out) throws SSLException {
        while (true) {
            out.ensureWritable(recordRoom);
            ByteBuffer target = out.nioBuffer(out.writerIndex(), out.writableBytes());
            SSLEngineResult result = engine.wrap(source, target);
            out.writerIndex(out.writerIndex() + result.bytesProduced());
            onResult(result);
            if (result.getStatus() != SSLEngineResult.Status.BUFFER_OVERFLOW) {
                return result;
            }
            recordRoom = larger(recordRoom, engine.getSession().getPacketBufferSize());
        }
    }

    /**
     * Reads the records in {@code records}, and appends their content to {@code plain}. Both are borrowed for this call. Records of this
     * peer that are due meanwhile are appended to {@code out}.
     *
     * <p>BoringSSL does not report an invalid record if it has to send an alert, but fails when it is used again. So it is used again.
     *
     * @param probe content that the remote peer ignores, which is sent if the engine sends something in response to a record;
     *     {@code null} during the handshake
     * @throws SSLException if a record is not the next one of the remote peer, or is incomplete
     */
    public void open(ByteBuf records, ByteBuf plain, ByteBuf out, byte @Nullable [] probe) throws SSLException {
        int attempts = 0;
        int room = 0; // the content is smaller than the records
        plain.ensureWritable(records.readableBytes());
        while (records.isReadable()) {
            plain.ensureWritable(room);
            ByteBuffer target = plain.nioBuffer(plain.writerIndex(), plain.writableBytes());
            SSLEngineResult result = engine.unwrap(records.nioBuffer(), target);
            records.skipBytes(result.bytesConsumed());
            plain.writerIndex(plain.writerIndex() + result.bytesProduced());
            onResult(result);
            boolean demanded = result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP; // BoringSSL forgets it
            boolean wrote = demanded || mustWriteHandshake();
            writeDue(out, demanded);
            if (wrote && probe != null) {
                writeAll(ByteBuffer.wrap(probe), out);
            }
            switch (result.getStatus()) {
                case OK -> {
                    attempts = result.bytesConsumed() > 0 ? 0 : attempts + 1;
                    if (attempts > 0 && (!wrote || attempts > MAX_ATTEMPTS)) {
                        throw new SSLException("unexpected TLS record");
                    }
                }
                case BUFFER_OVERFLOW -> room = larger(room, engine.getSession().getApplicationBufferSize());
                case BUFFER_UNDERFLOW -> throw new SSLException("incomplete TLS record");
                case CLOSED -> throw new SSLException("the remote peer has closed the TLS session");
            }
        }
    }

    /** Returns the next number of free bytes to try after one that was too small. */
    private static int larger(int room, int enough) throws SSLException {
        if (room > EndpointContext.MAX_FRAME_BYTES) {
            throw new SSLException("TLS record too large");
        }
        return Math.max(enough, room * 2);
    }

    private void onResult(SSLEngineResult result) {
        handshakeDone |= result.getHandshakeStatus() == HandshakeStatus.FINISHED;
    }

    /** Returns whether there was a task. */
    private boolean runTasks() {
        boolean ran = false;
        while (engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
            Runnable task = engine.getDelegatedTask();
            if (task == null) {
                break;
            }
            task.run();
            ran = true;
        }
        return ran;
    }

    /** Releases the engine. */
    public void release() {
        ReferenceCountUtil.release(engine);
    }
}
