package io.parley.transport.tcp.internal.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.common.internal.WireStatus;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.Connection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.UUID;

/** A frame between a relay and a peer that listens there. */
sealed interface RelayFrame {

    /** The longest frame that is accepted, in bytes. */
    int MAX_BYTES = 4096;

    /** The relay serves the client from now on. */
    record Served() implements RelayFrame {

        private static final byte TYPE = 1;

        @Override
        public void writeTo(ByteBuf out) {
            out.writeByte(TYPE);
        }
    }

    /** The relay does not serve the client, or no longer. */
    record Refused(WireStatus status) implements RelayFrame {

        private static final byte TYPE = 2;

        @Override
        public void writeTo(ByteBuf out) {
            writeStatus(out.writeByte(TYPE), status);
        }
    }

    /** Another peer dials the client, from an address that the relay has seen. */
    record Dialed(UUID circuit, InetSocketAddress from) implements RelayFrame {

        private static final byte TYPE = 3;

        @Override
        public void writeTo(ByteBuf out) {
            byte[] host = from.getAddress().getAddress();
            writeId(out.writeByte(TYPE), circuit)
                    .writeShort(from.getPort())
                    .writeByte(host.length)
                    .writeBytes(host);
        }
    }

    /** The client does not accept a circuit. */
    record Declined(UUID circuit, WireStatus status) implements RelayFrame {

        private static final byte TYPE = 4;

        @Override
        public void writeTo(ByteBuf out) {
            writeStatus(writeId(out.writeByte(TYPE), circuit), status);
        }
    }

    /** The client is there. */
    record Ping() implements RelayFrame {

        private static final byte TYPE = 5;

        @Override
        public void writeTo(ByteBuf out) {
            out.writeByte(TYPE);
        }
    }

    /** The response of the relay to a {@link Ping}. */
    record Pong() implements RelayFrame {

        private static final byte TYPE = 6;

        @Override
        public void writeTo(ByteBuf out) {
            out.writeByte(TYPE);
        }
    }

    /** Appends this frame. {@code out} is borrowed. */
    void writeTo(ByteBuf out);

    /** Returns the form of this frame. The caller must release it. */
    default ByteBuf write(ByteBufAllocator allocator) {
        ByteBuf out = allocator.ioBuffer(Connection.HEADROOM + 1).writeZero(Connection.HEADROOM);
        out.readerIndex(Connection.HEADROOM);
        writeTo(out);
        return out;
    }

    /**
     * Reads a frame. Bytes behind it belong to later versions.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#PROTOCOL_VIOLATION}
     */
    static RelayFrame read(ByteBuf frame) {
        try {
            byte type = frame.readByte();
            return switch (type) {
                case Served.TYPE -> new Served();
                case Refused.TYPE -> new Refused(readStatus(frame));
                case Dialed.TYPE -> new Dialed(readId(frame), readAddress(frame));
                case Declined.TYPE -> new Declined(readId(frame), readStatus(frame));
                case Ping.TYPE -> new Ping();
                case Pong.TYPE -> new Pong();
                default -> throw violation("type " + type + " (expected: 1 to 6)");
            };
        } catch (IndexOutOfBoundsException e) {
            throw violation("ends too early");
        }
    }

    private static ParleyException violation(String detail) {
        return ErrorCode.PROTOCOL_VIOLATION.exception("frame of a relay: " + detail);
    }

    private static ByteBuf writeId(ByteBuf out, UUID id) {
        return out.writeLong(id.getMostSignificantBits()).writeLong(id.getLeastSignificantBits());
    }

    private static UUID readId(ByteBuf in) {
        return new UUID(in.readLong(), in.readLong());
    }

    private static void writeStatus(ByteBuf out, WireStatus status) {
        byte[] text = status.text().getBytes(StandardCharsets.UTF_8);
        out.writeShort(status.number()).writeShort(text.length).writeBytes(text);
    }

    private static WireStatus readStatus(ByteBuf in) {
        int number = in.readUnsignedShort();
        String text = in.readCharSequence(in.readUnsignedShort(), StandardCharsets.UTF_8)
                .toString();
        return new WireStatus(number, text, OptionalLong.empty());
    }

    private static InetSocketAddress readAddress(ByteBuf in) {
        int port = in.readUnsignedShort();
        byte[] host = new byte[in.readUnsignedByte()];
        in.readBytes(host);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(host), port);
        } catch (UnknownHostException e) {
            throw violation("host of " + host.length + " bytes (expected: 4 or 16)");
        }
    }
}
