package io.parley.bench.parley;

import io.parley.bench.stream.StreamEnd;
import io.parley.message.Message;
import io.parley.message.Payload;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** An end of a stream whose writes are messages. */
final class ParleyMessageStreamEnd implements StreamEnd {

    private final MeasuredLayer.Sender sender;
    private final ParleyMessageStreams.MessageSource source;
    private Message current;
    private int consumedBytes;

    /** @param first the first message, which has arrived; may be empty */
    ParleyMessageStreamEnd(MeasuredLayer.Sender sender, ParleyMessageStreams.MessageSource source, Message first) {
        this.sender = sender;
        this.source = source;
        this.current = first;
    }

    @Override
    public void write(byte[] block, int length) {
        if (!sender.isWritable().getAsBoolean()) {
            sender.whenWritable().get().join();
        }
        sender.send().accept(Message.of(MeasuredLayer.PIPE.element(Arrays.copyOf(block, length))));
    }

    @Override
    public void read(byte[] block, int length) throws EOFException, InterruptedException {
        for (int offset = 0; offset < length; ) {
            if (remainingBytes() == 0) {
                current = source.next().message();
                consumedBytes = 0;
                continue;
            }
            int count = Math.min(remainingBytes(), length - offset);
            payload().readInto(ByteBuffer.wrap(block, offset, count), consumedBytes);
            consumedBytes += count;
            offset += count;
        }
        if (remainingBytes() == 0) {
            current = Message.EMPTY; // a large one needs its memory no longer
        }
    }

    private int remainingBytes() {
        return current.elements().isEmpty() ? 0 : (int) payload().size() - consumedBytes;
    }

    private Payload payload() {
        return current.elements().get(0).payload();
    }

    @Override
    public void close() {
        // closed with the peer
    }
}
