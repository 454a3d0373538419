package io.parley.bench.jxta;

import io.parley.bench.stream.StreamEnd;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import net.jxta.document.MimeMediaType;
import net.jxta.endpoint.ByteArrayMessageElement;
import net.jxta.endpoint.Message;
import net.jxta.pipe.InputPipe;
import net.jxta.pipe.OutputPipe;

/** An end of a stream whose writes are messages of JXTA. */
final class JxtaPipeStreamEnd implements StreamEnd {

    private static final String NAMESPACE = "bench";
    private static final String NAME = "block";

    private final OutputPipe output;
    private final InputPipe input;
    private byte[] current;
    private int consumedBytes;

    /** @param first the first message, which has arrived; may be empty */
    JxtaPipeStreamEnd(OutputPipe output, InputPipe input, Message first) {
        this.output = output;
        this.input = input;
        this.current = bytes(first);
    }

    private static byte[] bytes(Message message) {
        ByteArrayMessageElement element = (ByteArrayMessageElement) message.getMessageElement(NAMESPACE, NAME);
        return element == null ? new byte[0] : element.getBytes(false);
    }

    @Override
    public void write(byte[] block, int length) throws IOException {
        Message message = new Message();
        message.addMessageElement(
                NAMESPACE, new ByteArrayMessageElement(NAME, MimeMediaType.AOS, Arrays.copyOf(block, length), null));
        JxtaPipes.send(output, message);
    }

    @Override
    public void read(byte[] block, int length) throws EOFException, InterruptedException {
        for (int offset = 0; offset < length; ) {
            if (consumedBytes == current.length) {
                Message received = input.waitForMessage();
                if (received == null) {
                    throw new EOFException("pipe: closed");
                }
                current = bytes(received);
                consumedBytes = 0;
            }
            int count = Math.min(current.length - consumedBytes, length - offset);
            System.arraycopy(current, consumedBytes, block, offset, count);
            consumedBytes += count;
            offset += count;
        }
    }

    @Override
    public void close() {
        output.close();
        input.close();
    }
}
