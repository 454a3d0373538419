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
 * Copies an input to the other side and what comes from there to an output, until both inputs have ended. Messages have
 * one element: {@code data} with bytes; {@code eof} after the last of them; {@code got}, which answers {@code eof} when
 * everything has been written. A side is done when it has got both.
 */
public final class Netcat {

    /** What people do with it, and thereby the topic of its conversations. */
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
     * Copies until both inputs have ended and all bytes have been written on both sides. The conversation stays open.
     *
     * @throws ParleyException when the other side is gone before that
     * @throws IOException when the input or the output of this side fails
     */
    public void run() throws IOException, InterruptedException {
        // A thread of its own, and a daemon: nothing can wake it while it waits for the keyboard.
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
                    .orElseThrow(() -> ErrorCode.DISCONNECTED.exception("the other side left before the end of the input"));
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
     * Waits until the other side has left too, so that this process doesn't take away the last acknowledgement with its
     * end. To be called by one of the two sides only.
     */
    public void awaitFarewell() throws InterruptedException {
        try {
            Optional<Message> end = conversation.receive();
            if (end.isPresent()) {
                throw ErrorCode.PROTOCOL_VIOLATION.exception("the other side goes on after its end of input");
            }
        } catch (ParleyException e) {
            if (e.code() == ErrorCode.PROTOCOL_VIOLATION) {
                throw e;
            }
            // It has left without a word, but has got everything before.
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
            conversation.fail(ErrorCode.DISCONNECTED.exception("the other side can't read its input"));
        } catch (ParleyException e) {
            // The thread that receives notices the same and tells the user.
        }
    }
}
