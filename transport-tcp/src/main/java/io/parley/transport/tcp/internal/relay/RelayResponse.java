package io.parley.transport.tcp.internal.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.parley.common.internal.WireStatus;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The response of a relay to a {@link RelayRequest}: without an error, the connection serves the request from the next byte on. */
record RelayResponse(WireStatus status) {

    private static final int HEADER_BYTES = Integer.BYTES + 2 * Short.BYTES;
    private static final int MAX_TEXT_BYTES = 2048;

    static final RelayResponse OK = new RelayResponse(WireStatus.ok());

    static RelayResponse refusal(ParleyException reason) {
        return new RelayResponse(WireStatus.of(reason));
    }

    /** Returns the form of this response. The caller must release it. */
    ByteBuf write(ByteBufAllocator allocator) {
        byte[] text = status.text().getBytes(StandardCharsets.UTF_8);
        return allocator
                .ioBuffer(HEADER_BYTES + text.length)
                .writeInt(RelayRequest.MAGIC)
                .writeShort(status.number())
                .writeShort(text.length)
                .writeBytes(text);
    }

    /**
     * Reads a response.
     *
     * @return null, with nothing read, if it is not complete
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#PROTOCOL_VIOLATION}
     */
    static @Nullable RelayResponse read(ByteBuf in) {
        int start = in.readerIndex();
        int compared = Math.min(in.readableBytes(), Integer.BYTES);
        for (int i = 0; i < compared; i++) {
            if (in.getByte(start + i) != (byte) (RelayRequest.MAGIC >> ((Integer.BYTES - 1 - i) * Byte.SIZE))) {
                throw ErrorCode.PROTOCOL_VIOLATION.exception(
                        "response " + ByteBufUtil.hexDump(in, start, compared) + " (expected: that of a relay)");
            }
        }
        if (in.readableBytes() < HEADER_BYTES) {
            return null;
        }
        int number = in.getUnsignedShort(start + Integer.BYTES);
        int length = in.getUnsignedShort(start + Integer.BYTES + Short.BYTES);
        if (length > MAX_TEXT_BYTES) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "response of a relay with a text of " + length + " bytes (expected: <= " + MAX_TEXT_BYTES + ")");
        }
        if (in.readableBytes() < HEADER_BYTES + length) {
            return null;
        }
        in.skipBytes(HEADER_BYTES);
        String text = in.readCharSequence(length, StandardCharsets.UTF_8).toString();
        return new RelayResponse(new WireStatus(number, text, OptionalLong.empty()));
    }
}
