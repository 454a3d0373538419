package io.parley.transport.tcp.internal.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import java.util.UUID;

/** A request of a peer to a relay, in the first bytes of a connection. Its form has {@value #BYTES} bytes. */
public sealed interface RelayRequest {

    /** The first bytes of requests and responses: the letters PRL and the version. TLS and frames begin with other ones. */
    int MAGIC = 'P' << 24 | 'R' << 16 | 'L' << 8 | 1;

    /** The length of each request. */
    int BYTES = Integer.BYTES + 1 + PeerId.BYTES;

    /** A peer listens at the relay: the connection carries {@link RelayFrame}s. */
    record Listen(PeerId peer) implements RelayRequest {

        private static final byte KIND = 1;

        @Override
        public void writeTo(ByteBuf out) {
            out.writeByte(KIND).writeBytes(peer.toByteArray());
        }
    }

    /** A peer dials another one that listens at the relay: the connection becomes one half of a circuit. */
    record Dial(PeerId target) implements RelayRequest {

        private static final byte KIND = 2;

        @Override
        public void writeTo(ByteBuf out) {
            out.writeByte(KIND).writeBytes(target.toByteArray());
        }
    }

    /** A peer that listens accepts a circuit: the connection becomes its other half. */
    record Accept(UUID circuit) implements RelayRequest {

        private static final byte KIND = 3;

        @Override
        public void writeTo(ByteBuf out) {
            out.writeByte(KIND)
                    .writeLong(circuit.getMostSignificantBits())
                    .writeLong(circuit.getLeastSignificantBits())
                    .writeZero(PeerId.BYTES - 2 * Long.BYTES);
        }
    }

    /** Appends the kind and the body, without {@link #MAGIC}. {@code out} is borrowed. */
    void writeTo(ByteBuf out);

    /** Returns the form of this request. The caller must release it. */
    default ByteBuf write(ByteBufAllocator allocator) {
        ByteBuf out = allocator.ioBuffer(BYTES, BYTES).writeInt(MAGIC);
        writeTo(out);
        return out;
    }

    /** Returns whether a connection that begins with this byte begins with a request. */
    static boolean isBegin(byte first) {
        return first == (byte) (MAGIC >> 24);
    }

    /**
     * Reads a request, whose {@value #BYTES} bytes must be readable.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#PROTOCOL_VIOLATION}
     */
    static RelayRequest read(ByteBuf in) {
        int magic = in.readInt();
        if (magic != MAGIC) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "first bytes 0x" + Integer.toHexString(magic) + " (expected: TLS, or a request to a relay)");
        }
        byte kind = in.readByte();
        ByteBuf body = in.readSlice(PeerId.BYTES);
        return switch (kind) {
            case Listen.KIND -> new Listen(readPeer(body));
            case Dial.KIND -> new Dial(readPeer(body));
            case Accept.KIND -> new Accept(new UUID(body.readLong(), body.readLong()));
            default ->
                throw ErrorCode.PROTOCOL_VIOLATION.exception(
                        "request to a relay of kind " + kind + " (expected: 1 to 3)");
        };
    }

    private static PeerId readPeer(ByteBuf body) {
        byte[] bytes = new byte[PeerId.BYTES];
        body.readBytes(bytes);
        return PeerId.ofBytes(bytes);
    }
}
