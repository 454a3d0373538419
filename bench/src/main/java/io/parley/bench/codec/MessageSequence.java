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
 * Encodes and decodes messages one at a time, in the order in which a channel carries them. After the last message the
 * sequence restarts with new sessions. A decoder therefore gets exactly the output of its encoder, and the measurement
 * includes the time in which the sessions fill their tables. Not thread-safe.
 */
public final class MessageSequence implements AutoCloseable {

    /** The bytes that the endpoint reserves for its header. */
    private static final int HEADROOM = 32;
    /**
     * A codec gets larger messages in an array and smaller ones in the direct buffer that was read from the channel.
     */
    private static final int MAX_DIRECT_BYTES = 128 << 10;

    private static final int MAX_BYTES = 4 << 20;
    private static final int MAX_MESSAGES = 1000;
    private static final int MIN_MESSAGES = 256;

    private final ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
    private final CodecFormat format;
    private final List<Message> messages = new ArrayList<>();
    private final List<ByteBuf> encoded = new ArrayList<>();
    private CodecSession encoder;
    private CodecSession decoder;
    private int nextToEncode;
    private int nextToDecode;

    /**
     * Prepares 4 MB of messages of that kind, but at least 256 and at most 1000. With many messages the cost of a new
     * session has the same small share as in a channel.
     *
     * @throws IllegalStateException if a decoded message differs from the encoded one
     */
    public MessageSequence(CodecFormat format, Workload workload) {
        this(format, workload, count(workload));
    }

    private static int count(Workload workload) {
        long bytes = Math.max(1, workload.message(0).payloadBytes());
        return (int) Math.max(MIN_MESSAGES, Math.min(MAX_MESSAGES, MAX_BYTES / bytes));
    }

    MessageSequence(CodecFormat format, Workload workload, int count) {
        this.format = format;
        for (int i = 0; i < count; i++) {
            messages.add(workload.message(i));
        }
        encoder = format.newSession();
        decoder = format.newSession();
        messages.forEach(message -> encoded.add(received(nextEncoded())));
        for (Message message : messages) {
            if (!decode().equals(message)) {
                throw new IllegalStateException(
                        format.label() + ": a decoded message of " + workload + " differs from the encoded one");
            }
        }
    }

    /** Encodes the next message, releases the result and returns its size in bytes. */
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

    /** Returns the buffer that the endpoint would pass to a codec. */
    private static ByteBuf received(ByteBuf sent) {
        try {
            return sent.readableBytes() > MAX_DIRECT_BYTES
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
