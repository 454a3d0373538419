package io.parley.testkit.encoding;

import io.parley.encoding.EncodingChannel;
import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * A scheme with state: the encoding of an element depends on all elements before it. A decoder rejects an element that was lost,
 * repeated or moved, or belongs to another channel.
 */
public final class ChainedEncodingScheme implements EncodingScheme {

    private static final int STATE_BYTES = 4096;

    private final String name;
    private final CRC32 state = new CRC32();
    private byte shift;

    /** Creates a scheme with a name. */
    public ChainedEncodingScheme(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean accepts(MessageElement element) {
        return true;
    }

    @Override
    public Optional<Payload> encode(MessageElement element) {
        byte[] plain = element.toByteArray();
        byte[] shifted = shifted(plain, shift);
        state.update(plain);
        state.update(1);
        shift = (byte) state.getValue();
        return Optional.of(Payload.of(ByteBuffer.allocate(Integer.BYTES + shifted.length)
                .putInt((int) state.getValue())
                .put(shifted)
                .array()));
    }

    @Override
    public long maxDecodedBytes(MessageElement element) {
        return element.size();
    }

    @Override
    public Payload decode(MessageElement element, long maxBytes) {
        ByteBuffer in = ByteBuffer.wrap(element.toByteArray());
        if (in.remaining() < Integer.BYTES) {
            throw ErrorCode.MALFORMED_MESSAGE.exception(name + ": truncated element");
        }
        int expected = in.getInt();
        if (in.remaining() > maxBytes) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    name + ": " + in.remaining() + " bytes (expected: <= " + maxBytes + ")");
        }
        byte[] shifted = new byte[in.remaining()];
        in.get(shifted);
        byte[] plain = shifted(shifted, (byte) -shift);
        state.update(plain);
        state.update(1);
        shift = (byte) state.getValue();
        if ((int) state.getValue() != expected) {
            throw ErrorCode.MALFORMED_MESSAGE.exception(name + ": the elements before this one are others");
        }
        return Payload.of(plain);
    }

    @Override
    public EncodingScheme forChannel(EncodingChannel channel) {
        return new ChainedEncodingScheme(name);
    }

    @Override
    public int maxStateBytes() {
        return STATE_BYTES;
    }

    private static byte[] shifted(byte[] bytes, byte by) {
        byte[] shifted = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            shifted[i] = (byte) (bytes[i] + by);
        }
        return shifted;
    }
}
