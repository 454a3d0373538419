package io.parley.endpoint.internal.frame;

import io.netty.buffer.ByteBuf;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.function.Supplier;

/** Parses the content of frames; the transport has cut the stream into frames before. */
public final class FrameReader {

    private FrameReader() {}

    /**
     * Reads one frame and calls the method of the visitor for its type. Ignores an unknown type from
     * {@link FrameType#FIRST_IGNORABLE} on. {@code frame} is borrowed for this call.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#PROTOCOL_VIOLATION} or
     *     {@link ErrorCode#VERSION_UNSUPPORTED} if the frame violates the format. Other exceptions come from the visitor
     *     only.
     */
    public static void read(ByteBuf frame, FrameVisitor visitor) {
        if (!frame.isReadable()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("frame: empty (expected: at least 1 byte)");
        }
        int type = frame.readUnsignedByte();
        switch (type) {
            case FrameType.MESSAGE -> visitor.onMessage(handle(frame), frame);
            case FrameType.FIRST -> visitor.onFirst(handle(frame), Varint.read(frame), frame);
            case FrameType.MORE -> visitor.onMore(handle(frame), frame);
            case FrameType.CREDIT -> visitor.onCredit(handle(frame), Varint.read(frame));
            case FrameType.ACK -> visitor.onAck(handle(frame), Varint.read(frame), Varint.read(frame));
            case FrameType.BLOCKED -> visitor.onBlocked(handle(frame));
            case FrameType.SHRINK -> visitor.onShrink(handle(frame), Varint.read(frame));
            case FrameType.SHRUNK -> visitor.onShrunk(handle(frame), Varint.read(frame));
            case FrameType.SEALED -> visitor.onSealed(frame);
            case FrameType.PING -> visitor.onPing(number(frame));
            case FrameType.PONG -> visitor.onPong(number(frame));
            case FrameType.OPEN -> {
                int handle = handle(frame);
                TaggedFields fields = TaggedFields.read(frame);
                visitor.onOpen(handle, checked(() -> Open.of(fields)));
            }
            case FrameType.OPENED -> {
                int handle = handle(frame);
                TaggedFields fields = TaggedFields.read(frame);
                visitor.onOpened(handle, Opened.of(fields));
            }
            case FrameType.REFUSE -> {
                int handle = handle(frame);
                TaggedFields fields = TaggedFields.read(frame);
                visitor.onRefuse(handle, StatusFields.read(fields), fields.optionalNumber(StatusFields.RECEIVED));
            }
            case FrameType.END -> visitor.onEnd(handle(frame));
            case FrameType.GOODBYE -> visitor.onGoodbye(StatusFields.read(TaggedFields.read(frame)));
            case FrameType.HELLO -> {
                magic(frame);
                int minor = minorVersion(frame);
                visitor.onHello(hello(minor, frame));
            }
            case FrameType.ACCEPT -> {
                int minor = minorVersion(frame);
                visitor.onAccept(hello(minor, frame));
            }
            case FrameType.REJECT -> visitor.onReject(StatusFields.read(TaggedFields.read(frame)));
            default -> {
                if (type < FrameType.FIRST_IGNORABLE) {
                    throw ErrorCode.PROTOCOL_VIOLATION.exception("frame type: " + type
                            + " (expected: a known type, or >= " + FrameType.FIRST_IGNORABLE + ")");
                }
            }
        }
    }

    private static int handle(ByteBuf frame) {
        return Varint.readInt(frame, "handle");
    }

    private static long number(ByteBuf frame) {
        requireReadable(frame, Long.BYTES);
        return frame.readLong();
    }

    private static void magic(ByteBuf frame) {
        requireReadable(frame, Integer.BYTES);
        if (frame.readInt() != FrameWriter.MAGIC) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "HELLO frame: wrong magic number; the remote end is not a Parley peer");
        }
    }

    private static int minorVersion(ByteBuf frame) {
        requireReadable(frame, 2);
        int major = frame.readUnsignedByte();
        int minor = frame.readUnsignedByte();
        if (major != FrameWriter.VERSION_MAJOR) {
            throw ErrorCode.VERSION_UNSUPPORTED.exception("wire version: " + major + "." + minor + " (expected: "
                    + FrameWriter.VERSION_MAJOR + "." + Hello.MINOR + ")");
        }
        return minor;
    }

    private static void requireReadable(ByteBuf frame, int bytes) {
        if (frame.readableBytes() < bytes) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "frame: " + frame.readableBytes() + " bytes left (expected: >= " + bytes + ")");
        }
    }

    private static Hello hello(int minor, ByteBuf frame) {
        TaggedFields fields = TaggedFields.read(frame);
        return checked(() -> Hello.of(minor, fields));
    }

    /** Converts an argument that a constructor rejects into a protocol violation, because the remote peer sent it. */
    private static <T> T checked(Supplier<T> reader) {
        try {
            return reader.get();
        } catch (ParleyException e) {
            throw e;
        } catch (RuntimeException e) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("control frame: " + e.getMessage(), e);
        }
    }
}
