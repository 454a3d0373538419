package io.parley.bench.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.parley.bench.workload.Workload;
import io.parley.codec.CodecSession;
import io.parley.message.Message;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages in the order in which a channel carries them, encoded and decoded one at a time. At the end it begins again, and
 * with new sessions: a decoder then gets exactly what the encoder made for it, and what the sessions learn first is
 * part of what is measured. Not thread-safe.
 */
public final class MessageSequence implements AutoCloseable {

    /** As much as the endpoint leaves free for its header. */
    private static final int HEADROOM = 32;
    /** Larger messages come to a codec in an array, smaller ones in the direct buffer that was read from the channel. */
    private static final int MOST_DIRECT_BYTES = 128 << 10;

    private static final int MOST_BYTES = 4 << 20;
    private static final int MOST_MESSAGES = 1000;
    private static final int LEAST_MESSAGES = 256;

    private final ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
    private final CodecFormat format;
    private final List<Message> messages = new ArrayList<>();
    private final List<ByteBuf> encoded = new ArrayList<>();
    private CodecSession encoder;
    private CodecSession decoder;
    private int nextToEncode;
    private int nextToDecode;

    /**
     * Prepares messages of that kind: 4 MB of them, but at least 256, so that what a session costs to begin is shared by many as in a
     * channel, and at most a thousand.
     *
     * @throws IllegalStateException when the format loses something of a message
     */
    public MessageSequence(CodecFormat format, Workload composition) {
        this.format = format;
        long bytes = Math.max(1, composition.message(0).payloadBytes());
        long count = Math.max(LEAST_MESSAGES, Math.min(MOST_MESSAGES, MOST_BYTES / bytes));
        for (int i = 0; i < count; i++) {
            messages.add(composition.message(i));
        }
        encoder = format.newSession();
        decoder = format.newSession();
        messages.forEach(message -> encoded.add(received(nextEncoded())));
        for (Message message : messages) {
            if (!decode().equals(message)) {
                throw new IllegalStateException(format.label() + " loses something of a message of " + composition);
            }
        }
    }

    /** Encodes the next message and lets go of the result; returns its size in bytes. */
    public int encode() {
        ByteBuf result = nextEncoded();
        int bytes = result.readableBytes();
        result.release();
        return bytes;
    }

    /** Decodes the next message. */
    public Message decode() {
        if (nextToDecode == encoded.size()) {
            nextToDecode = 0;
            decoder = format.newSession();
        } else if (!format.isRetained()) {
            decoder = format.newSession();
        }
        return decoder.decode(encoded.get(nextToDecode++));
    }

    private ByteBuf nextEncoded() {
        if (nextToEncode == messages.size()) {
            nextToEncode = 0;
            encoder = format.newSession();
        } else if (!format.isRetained()) {
            encoder = format.newSession();
        }
        return encoder.encode(messages.get(nextToEncode++), HEADROOM, allocator);
    }

    /** As the endpoint hands it over. */
    private static ByteBuf received(ByteBuf sent) {
        try {
            return sent.readableBytes() > MOST_DIRECT_BYTES
                    ? Unpooled.wrappedBuffer(ByteBufUtil.getBytes(sent))
                    : Unpooled.directBuffer(sent.readableBytes())
                            .writeBytes(sent, sent.readerIndex(), sent.readableBytes());
        } finally {
            sent.release();
        }
    }

    @Override
    public void close() {
        encoded.forEach(ByteBuf::release);
        encoded.clear();
    }
}
