package io.parley.endpoint.internal.frame;

import io.netty.buffer.ByteBuf;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.function.Supplier;

/** Takes frames apart. */
public final class FrameReader {

    private FrameReader() {}

    /**
     * Reads one frame. {@code frame} is borrowed for this call.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#PROTOCOL_VIOLATION} or
     *     {@link ErrorCode#VERSION_UNSUPPORTED} when it breaks the format; nothing but that and what the visitor throws
     */
    public static void read(ByteBuf frame, FrameVisitor visitor) {
        if (!frame.isReadable()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("empty frame");
        }
        int type = frame.readUnsignedByte();
        switch (type) {
            case FrameType.MESSAGE -> visitor.onMessage(handle(frame), frame);
            case FrameType.FIRST -> visitor.onFirst(handle(frame), Varint.read(frame), frame);
            case FrameType.MORE -> visitor.onMore(handle(frame), frame);
            case FrameType.CREDIT -> visitor.onCredit(handle(frame), Varint.read(frame));
            case FrameType.PING -> visitor.onPing(number(frame));
            case FrameType.PONG -> visitor.onPong(number(frame));
            case FrameType.OPEN -> {
                int handle = handle(frame);
                TaggedFields fields = TaggedFields.read(frame);
                visitor.onOpen(
                        handle, service(fields), fields.text(FrameWriter.CODEC).orElse(""));
            }
            case FrameType.OPENED -> {
                int handle = handle(frame);
                visitor.onOpened(handle, TaggedFields.read(frame).requiredNumber(FrameWriter.WINDOW, "window"));
            }
            case FrameType.REFUSE -> visitor.onRefuse(handle(frame), WireStatus.of(TaggedFields.read(frame)));
            case FrameType.END -> visitor.onEnd(handle(frame));
            case FrameType.GOODBYE -> visitor.onGoodbye(WireStatus.of(TaggedFields.read(frame)));
            case FrameType.HELLO -> {
                magic(frame);
                version(frame);
                visitor.onHello(hello(frame));
            }
            case FrameType.ACCEPT -> {
                version(frame);
                visitor.onAccept(hello(frame));
            }
            case FrameType.REJECT -> visitor.onReject(WireStatus.of(TaggedFields.read(frame)));
            default -> {
                if (type < FrameType.FIRST_IGNORABLE) {
                    throw ErrorCode.PROTOCOL_VIOLATION.exception("unknown frame type " + type);
                }
            }
        }
    }

    private static int handle(ByteBuf frame) {
        return Varint.readInt(frame, "handle");
    }

    private static long number(ByteBuf frame) {
        need(frame, Long.BYTES);
        return frame.readLong();
    }

    private static void magic(ByteBuf frame) {
        need(frame, Integer.BYTES);
        if (frame.readInt() != FrameWriter.MAGIC) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("not a Parley peer");
        }
    }

    private static void version(ByteBuf frame) {
        need(frame, 2);
        int major = frame.readUnsignedByte();
        int minor = frame.readUnsignedByte();
        if (major != FrameWriter.VERSION_MAJOR) {
            throw ErrorCode.VERSION_UNSUPPORTED.exception("the peer speaks wire version " + major + "." + minor
                    + ", this one " + FrameWriter.VERSION_MAJOR + "." + FrameWriter.VERSION_MINOR);
        }
    }

    private static void need(ByteBuf frame, int bytes) {
        if (frame.readableBytes() < bytes) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("frame is cut short");
        }
    }

    private static Hello hello(ByteBuf frame) {
        TaggedFields fields = TaggedFields.read(frame);
        return checked(() -> Hello.of(fields));
    }

    private static ServiceAddress service(TaggedFields fields) {
        return checked(() -> new ServiceAddress(
                fields.requiredText(FrameWriter.SERVICE, "service"),
                fields.text(FrameWriter.PARAMETER).orElse("")));
    }

    /** What the types below refuse as an argument is here the fault of the peer that sent it. */
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
