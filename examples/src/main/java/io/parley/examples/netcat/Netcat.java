package io.parley.examples.netcat;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.conversation.Conversation;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Copies an input to the other peer and that peer's input to an output, until both inputs have ended. Messages have one
 * element: {@code data} with bytes, {@code eof} after the last of them, and {@code got}, which acknowledges {@code eof}
 * after all bytes have been written. A peer is done after it has received {@code eof} and {@code got}.
 */
public final class Netcat {

    /** The topic of the conversations: the name of the command that joins them. */
    public static final String TOPIC = "connect";

    private static final int CHUNK_BYTES = 64 * 1024;

    private static final String DATA = "data";
    private static final String EOF = "eof";
    private static final String GOT = "got";

    private final Conversation conversation;
    private final InputStream input;
    private final OutputStream output;
    private final AtomicReference<@Nullable IOException> inputFailure = new AtomicReference<>();

    public Netcat(Conversation conversation, InputStream input, OutputStream output) {
        this.conversation = conversation;
        this.input = input;
        this.output = output;
    }

    /**
     * Copies until both inputs have ended and both peers have written all bytes. The conversation stays open.
     *
     * @throws ParleyException if the other peer disconnects before that
     * @throws IOException if the input or the output of this peer fails
     */
    public void run() throws IOException, InterruptedException {
        // A daemon thread, because a read of the standard input cannot be interrupted.
        Thread pump = new Thread(this::pump, "stdin");
        pump.setDaemon(true);
        pump.start();
        boolean ended = false;
        boolean acknowledged = false;
        while (!ended || !acknowledged) {
            Message message = receive();
            for (MessageElement element : message) {
                switch (element.name()) {
                    case DATA -> write(element);
                    case EOF -> {
                        ended = true;
                        conversation.send(Message.of(GOT, ""));
                    }
                    case GOT -> acknowledged = true;
                    default -> {}
                }
            }
        }
    }

    private Message receive() throws IOException, InterruptedException {
        try {
            return conversation
                    .receive()
                    .orElseThrow(
                            () -> ErrorCode.DISCONNECTED.exception("the other peer left before the end of its input"));
        } catch (ParleyException e) {
            IOException cause = inputFailure.get();
            if (cause != null) {
                throw cause;
            }
            throw e;
        }
    }

    private void write(MessageElement element) throws IOException {
        element.payload().writeTo(output);
        output.flush();
    }

    /**
     * Waits until the other peer has ended the conversation, so that the end of this process does not cut off the last
     * acknowledgement. Must be called by only one of the two peers.
     */
    public void awaitEnd() throws InterruptedException {
        try {
            Optional<Message> end = conversation.receive();
            if (end.isPresent()) {
                throw ErrorCode.PROTOCOL_VIOLATION.exception("unexpected message after eof and got");
            }
        } catch (ParleyException e) {
            if (e.code() == ErrorCode.PROTOCOL_VIOLATION) {
                throw e;
            }
            // The other peer has left without an end, but has received all data before.
        }
    }

    private void pump() {
        byte[] chunk = new byte[CHUNK_BYTES];
        try {
            for (int read; (read = input.read(chunk)) >= 0; ) {
                conversation.send(Message.of(DATA, Arrays.copyOf(chunk, read)));
            }
            conversation.send(Message.of(EOF, ""));
        } catch (IOException e) {
            inputFailure.set(e);
            conversation.fail(ErrorCode.DISCONNECTED.exception("the other peer cannot read its input"));
        } catch (ParleyException e) {
            // The receiving thread detects and reports the same failure.
        }
    }
}
