package io.parley.bench.parley;

import io.parley.bench.contender.MessageBytes;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The bytes of a payload that is not in one array. */
record PayloadBytes(Payload payload) implements MessageBytes {

    /** Returns the bytes of all elements of {@code message}. */
    static MessageBytes of(Message message) {
        List<MessageElement> elements = message.elements();
        if (elements.size() == 1) {
            return of(elements.get(0).payload());
        }
        List<MessageBytes> parts = new ArrayList<>(elements.size());
        for (MessageElement element : elements) {
            parts.add(of(element.payload()));
        }
        return MessageBytes.join(parts);
    }

    private static MessageBytes of(Payload payload) {
        return payload.hasArray()
                ? MessageBytes.of(payload.array(), payload.arrayOffset(), (int) payload.size())
                : new PayloadBytes(payload);
    }

    @Override
    public int length() {
        return (int) payload.size();
    }

    @Override
    public byte byteAt(int index) {
        return read(Byte.BYTES, index).get();
    }

    @Override
    public long longAt(int index) {
        return read(Long.BYTES, index).getLong();
    }

    private ByteBuffer read(int bytes, int index) {
        ByteBuffer target = ByteBuffer.allocate(bytes);
        payload.readInto(target, index);
        return target.flip();
    }
}
