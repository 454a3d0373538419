package io.parley.endpoint.internal.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.common.internal.WireStatus;
import io.parley.transport.Connection;
import java.util.OptionalLong;

/** Encodes frames. The caller must release the result of each method. */
public final class FrameWriter {

    static final int MAGIC = 0x50524c59; // "PRLY"
    static final int VERSION_MAJOR = 1;

    static final int SERVICE = 1;
    static final int PARAMETER = 2;
    static final int CODEC = 3;
    static final int CHANNEL = 4;
    static final int BASE = 5;
    static final int OFFERED_SCHEME = 6;
    static final int SECURE = 7;
    static final int WINDOW = 1;
    static final int RECEIVED = 2;
    static final int CHOSEN_SCHEME = 3;
    static final int STATE_KEPT = 4;

    /** Free bytes in front of an encoded message that {@link #message} and the transport need for their headers. */
    public static final int MESSAGE_HEADROOM = 1 + 5 + Connection.HEADROOM;

    private static final int MESSAGE_HEADER = 1 + 5;
    private static final int FRAGMENT_HEADER = 1 + 5 + 9;

    private final ByteBufAllocator allocator;

    /** Creates a writer that allocates frames from {@code allocator}. */
    public FrameWriter(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Returns a HELLO frame, the first frame of the dialer. */
    public ByteBuf hello(Hello hello) {
        ByteBuf out = control(FrameType.HELLO);
        out.writeInt(MAGIC);
        out.writeByte(VERSION_MAJOR);
        out.writeByte(hello.minor());
        hello.toFields().write(out);
        return out;
    }

    /** Returns an ACCEPT frame, the response that opens the link. */
    public ByteBuf accept(Hello hello) {
        ByteBuf out = control(FrameType.ACCEPT);
        out.writeByte(VERSION_MAJOR);
        out.writeByte(hello.minor());
        hello.toFields().write(out);
        return out;
    }

    /** Returns a REJECT frame, the response that refuses the connection. */
    public ByteBuf reject(WireStatus status) {
        ByteBuf out = control(FrameType.REJECT);
        StatusFields.of(status).write(out);
        return out;
    }

    /** Returns a GOODBYE frame. This peer sends no further message. */
    public ByteBuf goodbye(WireStatus status) {
        ByteBuf out = control(FrameType.GOODBYE);
        StatusFields.of(status).write(out);
        return out;
    }

    /** Returns a PING frame, which requests a {@link #pong}. */
    public ByteBuf ping(long number) {
        return control(FrameType.PING).writeLong(number);
    }

    /** Returns a PONG frame, the response to a {@link #ping} with the same number. */
    public ByteBuf pong(long number) {
        return control(FrameType.PONG).writeLong(number);
    }

    /** Returns an OPEN frame, which assigns a handle to a service. */
    public ByteBuf open(int handle, Open open) {
        ByteBuf out = handleFrame(FrameType.OPEN, handle);
        open.toFields().write(out);
        return out;
    }

    /** Returns an OPENED frame: the service exists and grants a window. */
    public ByteBuf opened(int handle, Opened opened) {
        ByteBuf out = handleFrame(FrameType.OPENED, handle);
        opened.toFields().write(out);
        return out;
    }

    /** Returns an OPENED frame without encoding schemes. */
    public ByteBuf opened(int handle, long window, OptionalLong received) {
        return opened(handle, Opened.plain(window, received));
    }

    /**
     * Returns a REFUSE frame: the receiver accepts no (more) messages for the handle.
     *
     * @param received the number of messages that the receiver has of the channel; empty if it does not know the channel
     */
    public ByteBuf refuse(int handle, WireStatus status, OptionalLong received) {
        ByteBuf out = handleFrame(FrameType.REFUSE, handle);
        TaggedFields fields = StatusFields.of(status);
        received.ifPresent(count -> fields.number(StatusFields.RECEIVED, count));
        fields.write(out);
        return out;
    }

    /**
     * Returns an ACK frame.
     *
     * @param count  the number of messages that the receiver has received on the channel since the channel was created
     * @param credit the bytes by which the rest of the window grows, as in {@link #credit}
     */
    public ByteBuf ack(int handle, long count, long credit) {
        ByteBuf out = handleFrame(FrameType.ACK, handle);
        Varint.write(out, count);
        Varint.write(out, credit);
        return out;
    }

    /** Returns an END frame: the sender sends no more messages for the handle. */
    public ByteBuf end(int handle) {
        return handleFrame(FrameType.END, handle);
    }

    /** Returns a CREDIT frame: the sender may use {@code bytes} more of the window of a handle. */
    public ByteBuf credit(int handle, long bytes) {
        ByteBuf out = handleFrame(FrameType.CREDIT, handle);
        Varint.write(out, bytes);
        return out;
    }

    /** Returns a BLOCKED frame: the sender has messages for the handle and no window left. */
    public ByteBuf blocked(int handle) {
        return handleFrame(FrameType.BLOCKED, handle);
    }

    /** Returns a SHRINK frame, which asks the sender to give up to {@code bytes} of its unused window back. */
    public ByteBuf shrink(int handle, long bytes) {
        ByteBuf out = handleFrame(FrameType.SHRINK, handle);
        Varint.write(out, bytes);
        return out;
    }

    /** Returns a SHRUNK frame, the response to {@link #shrink}: the sender has given {@code bytes} back. */
    public ByteBuf shrunk(int handle, long bytes) {
        ByteBuf out = handleFrame(FrameType.SHRUNK, handle);
        Varint.write(out, bytes);
        return out;
    }

    /** Returns a SEALED frame without TLS records, to which the caller adds them. An empty one requests the TLS handshake. */
    public ByteBuf sealed(int capacity) {
        return withHeadroom(1 + capacity).writeByte(FrameType.SEALED);
    }

    /**
     * Returns a MESSAGE frame with a whole message. Takes ownership of {@code encoded}. Writes the header in front of it if
     * there is room.
     */
    public ByteBuf message(int handle, ByteBuf encoded) {
        int header = 1 + Varint.size(handle);
        if (encoded.readerIndex() >= header) {
            int start = encoded.readerIndex() - header;
            int end = encoded.writerIndex();
            encoded.setIndex(start, start);
            writeMessageHeader(handle, encoded);
            return encoded.writerIndex(end);
        }
        ByteBuf head = withHeadroom(MESSAGE_HEADER);
        writeMessageHeader(handle, head);
        return join(head, encoded);
    }

    /** Writes the part of a MESSAGE frame that precedes the encoded message. */
    public static void writeMessageHeader(int handle, ByteBuf out) {
        out.writeByte(FrameType.MESSAGE);
        Varint.write(out, handle);
    }

    /**
     * Returns a FIRST frame with the first fragment of a message of {@code total} bytes: the next {@code length} bytes of
     * {@code encoded}, which is borrowed for this call. Direct memory is shared. Heap memory must be copied in any case,
     * and is copied here into one buffer with the header.
     */
    public ByteBuf first(int handle, long total, ByteBuf encoded, int length) {
        ByteBuf head = fragmentHead(encoded, length);
        head.writeByte(FrameType.FIRST);
        Varint.write(head, handle);
        Varint.write(head, total);
        return withFragment(head, encoded, length);
    }

    /** Returns a MORE frame with the next fragment, under the same conditions as {@link #first}. */
    public ByteBuf more(int handle, ByteBuf encoded, int length) {
        ByteBuf head = fragmentHead(encoded, length);
        head.writeByte(FrameType.MORE);
        Varint.write(head, handle);
        return withFragment(head, encoded, length);
    }

    private ByteBuf fragmentHead(ByteBuf encoded, int length) {
        return withHeadroom(encoded.isDirect() ? FRAGMENT_HEADER : FRAGMENT_HEADER + length);
    }

    private ByteBuf withFragment(ByteBuf head, ByteBuf encoded, int length) {
        if (encoded.isDirect()) {
            return join(head, encoded.readRetainedSlice(length));
        }
        // Not head.writeBytes(encoded, length), which first merges the components of a composite buffer.
        encoded.readBytes(head, length);
        return head;
    }

    /** Joins two buffers. The head keeps its headroom. */
    private ByteBuf join(ByteBuf head, ByteBuf body) {
        int headroom = head.readerIndex();
        return allocator
                .compositeBuffer(2)
                .addComponent(true, head.readerIndex(0))
                .addComponent(true, body)
                .readerIndex(headroom);
    }

    private ByteBuf control(int type) {
        return withHeadroom(64).writeByte(type);
    }

    private ByteBuf handleFrame(int type, int handle) {
        ByteBuf out = control(type);
        Varint.write(out, handle);
        return out;
    }

    private ByteBuf withHeadroom(int capacity) {
        ByteBuf out = allocator.ioBuffer(Connection.HEADROOM + capacity);
        return out.setIndex(Connection.HEADROOM, Connection.HEADROOM);
    }
}
