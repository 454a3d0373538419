package io.parley.endpoint.internal.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.endpoint.ServiceAddress;
import io.parley.transport.Connection;

/** Makes frames. The caller releases what a method returns. */
public final class FrameWriter {

    static final int MAGIC = 0x50524c59; // "PRLY"
    static final int VERSION_MAJOR = 1;
    static final int VERSION_MINOR = 0;

    static final int SERVICE = 1;
    static final int PARAMETER = 2;
    static final int CODEC = 3;
    static final int WINDOW = 1;

    /** Room to leave in front of an encoded message for {@link #message} and the transport's own header. */
    public static final int MESSAGE_HEADROOM = 1 + 5 + Connection.HEADROOM;

    private static final int MESSAGE_HEADER = 1 + 5;
    private static final int FRAGMENT_HEADER = 1 + 5 + 9;

    private final ByteBufAllocator allocator;

    /** Frames come from that allocator. */
    public FrameWriter(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** The dialer's first frame. */
    public ByteBuf hello(Hello hello) {
        ByteBuf out = control(FrameType.HELLO);
        out.writeInt(MAGIC);
        out.writeByte(VERSION_MAJOR);
        out.writeByte(VERSION_MINOR);
        hello.toFields().write(out);
        return out;
    }

    /** The answer that opens the connection. */
    public ByteBuf accept(Hello hello) {
        ByteBuf out = control(FrameType.ACCEPT);
        out.writeByte(VERSION_MAJOR);
        out.writeByte(VERSION_MINOR);
        hello.toFields().write(out);
        return out;
    }

    /** The answer that does not. */
    public ByteBuf reject(WireStatus refusal) {
        ByteBuf out = control(FrameType.REJECT);
        refusal.toFields().write(out);
        return out;
    }

    /** No further message will come from this side. */
    public ByteBuf goodbye(WireStatus reason) {
        ByteBuf out = control(FrameType.GOODBYE);
        reason.toFields().write(out);
        return out;
    }

    /** Asks for a {@link #pong}. */
    public ByteBuf ping(long number) {
        return control(FrameType.PING).writeLong(number);
    }

    /** Answers a {@link #ping} with its number. */
    public ByteBuf pong(long number) {
        return control(FrameType.PONG).writeLong(number);
    }

    /** Gives a service a handle, for messages in the connection's codec. */
    public ByteBuf open(int handle, ServiceAddress service) {
        return open(handle, service, "");
    }

    /** Gives a service a handle, for messages in that codec, or where it is empty in the connection's. */
    public ByteBuf open(int handle, ServiceAddress service, String codec) {
        ByteBuf out = handleFrame(FrameType.OPEN, handle);
        TaggedFields fields = new TaggedFields().text(SERVICE, service.service());
        if (!service.parameter().isEmpty()) {
            fields.text(PARAMETER, service.parameter());
        }
        if (!codec.isEmpty()) {
            fields.text(CODEC, codec);
        }
        fields.write(out);
        return out;
    }

    /** The service is there, and takes that much before it has to give {@link #credit}. */
    public ByteBuf opened(int handle, long window) {
        ByteBuf out = handleFrame(FrameType.OPENED, handle);
        new TaggedFields().number(WINDOW, window).write(out);
        return out;
    }

    /** The receiver takes nothing (more) for the handle. */
    public ByteBuf refuse(int handle, WireStatus refusal) {
        ByteBuf out = handleFrame(FrameType.REFUSE, handle);
        refusal.toFields().write(out);
        return out;
    }

    /** The sender is done with the handle. */
    public ByteBuf end(int handle) {
        return handleFrame(FrameType.END, handle);
    }

    /** Gives that much of a handle's window back. */
    public ByteBuf credit(int handle, long bytes) {
        ByteBuf out = handleFrame(FrameType.CREDIT, handle);
        Varint.write(out, bytes);
        return out;
    }

    /**
     * A whole message. Takes ownership of {@code encoded}, and writes the header in front of it when there is room.
     */
    public ByteBuf message(int handle, ByteBuf encoded) {
        int header = 1 + Varint.size(handle);
        if (encoded.readerIndex() >= header) {
            int start = encoded.readerIndex() - header;
            int end = encoded.writerIndex();
            encoded.setIndex(start, start);
            encoded.writeByte(FrameType.MESSAGE);
            Varint.write(encoded, handle);
            return encoded.writerIndex(end);
        }
        ByteBuf head = withHeadroom(MESSAGE_HEADER);
        head.writeByte(FrameType.MESSAGE);
        Varint.write(head, handle);
        return join(head, encoded);
    }

    /**
     * The first piece of a message of {@code total} bytes: takes the next {@code length} bytes of {@code encoded}, which
     * is borrowed for this call. Direct memory is shared. Memory of the heap has to be copied anyway, and is copied here
     * into one buffer with the header.
     */
    public ByteBuf first(int handle, long total, ByteBuf encoded, int length) {
        ByteBuf head = pieceHead(encoded, length);
        head.writeByte(FrameType.FIRST);
        Varint.write(head, handle);
        Varint.write(head, total);
        return withPiece(head, encoded, length);
    }

    /** A further piece, as {@link #first}. */
    public ByteBuf more(int handle, ByteBuf encoded, int length) {
        ByteBuf head = pieceHead(encoded, length);
        head.writeByte(FrameType.MORE);
        Varint.write(head, handle);
        return withPiece(head, encoded, length);
    }

    private ByteBuf pieceHead(ByteBuf encoded, int length) {
        return withHeadroom(encoded.isDirect() ? FRAGMENT_HEADER : FRAGMENT_HEADER + length);
    }

    private ByteBuf withPiece(ByteBuf head, ByteBuf encoded, int length) {
        if (encoded.isDirect()) {
            return join(head, encoded.readRetainedSlice(length));
        }
        encoded.readBytes(
                head, length); // not the reverse call, by which several parts are first put together elsewhere
        return head;
    }

    /** The head keeps its headroom. */
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
