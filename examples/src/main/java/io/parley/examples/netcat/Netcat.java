package io.parley.examples.netcat;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.Futures;
import io.parley.examples.conversation.Conversation;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Copies an input to the other peer and that peer's input to an output, until both inputs have ended. Messages have one
 * element: {@code data} with bytes. The end of an input ends the direction of its peer.
 */
public final class Netcat {

    /** The topic of the conversations: the name of the command that joins them. */
    public static final String TOPIC = "connect";

    private static final int CHUNK_BYTES = 64 * 1024;

    private static final String DATA = "data";

    private final Conversation conversation;
    private final InputStream input;
    private final OutputStream output;
    private final CompletableFuture<Void> inputEnd = new CompletableFuture<>();
    private final AtomicReference<@Nullable IOException> inputFailure = new AtomicReference<>();

    public Netcat(Conversation conversation, InputStream input, OutputStream output) {
        this.conversation = conversation;
        this.input = input;
        this.output = output;
    }

    /**
     * Copies until both inputs have ended, all bytes of the other peer are written, and that peer has received all bytes of
     * this one. The conversation stays open.
     *
     * @throws ParleyException if the other peer is lost before that
     * @throws IOException if the input or the output of this peer fails
     */
    public void run() throws IOException, InterruptedException {
        // A daemon thread, because a read of the standard input cannot be interrupted.
        Thread pump = new Thread(this::pump, "stdin");
        pump.setDaemon(true);
        pump.start();
        try {
            Optional<Message> message = conversation.receive();
            while (message.isPresent()) {
                write(message.get());
                message = conversation.receive();
            }
            Futures.join(inputEnd);
        } catch (ParleyException | CompletionException e) {
            IOException cause = inputFailure.get();
            if (cause != null) {
                throw cause;
            }
            throw e;
        }
    }

    private void write(Message message) throws IOException {
        for (MessageElement element : message) {
            if (element.name().equals(DATA)) {
                element.payload().writeTo(output);
            }
        }
        output.flush();
    }

    private void pump() {
        byte[] chunk = new byte[CHUNK_BYTES];
        try {
            for (int read; (read = input.read(chunk)) >= 0; ) {
                conversation.send(Message.of(DATA, Arrays.copyOf(chunk, read)));
            }
            conversation.closeOutput();
            inputEnd.complete(null);
        } catch (IOException e) {
            inputFailure.set(e);
            inputEnd.completeExceptionally(e);
            conversation.fail(ErrorCode.DISCONNECTED.exception("the other peer cannot read its input"));
        } catch (ParleyException | InterruptedException e) {
            inputEnd.completeExceptionally(e);
        }
    }
}
