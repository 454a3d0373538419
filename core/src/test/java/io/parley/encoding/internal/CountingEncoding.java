package io.parley.encoding.internal;

import io.parley.encoding.EncodingChannel;
import io.parley.encoding.EncodingScheme;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.Optional;

/** A minimal stateful scheme: the encoding of an element depends on the number of previous elements. */
final class CountingEncoding implements EncodingScheme {
    private int seen;

    @Override
    public String name() {
        return "count";
    }

    @Override
    public boolean accepts(MessageElement element) {
        return true;
    }

    @Override
    public Optional<Payload> encode(MessageElement element) {
        return Optional.of(shifted(element, ++seen));
    }

    @Override
    public Payload decode(MessageElement element, long maxBytes) {
        return shifted(element, - ++seen);
    }

    @Override
    public EncodingScheme forChannel(EncodingChannel channel) {
        return new CountingEncoding();
    }

    @Override
    public int maxStateBytes() {
        return Integer.BYTES;
    }

    private static Payload shifted(MessageElement element, int by) {
        byte[] bytes = element.toByteArray();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] += (byte) by;
        }
        return Payload.of(bytes);
    }
}
