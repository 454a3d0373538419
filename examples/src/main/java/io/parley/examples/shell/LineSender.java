package io.parley.examples.shell;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.RetryableException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.search.NameConnector;
import io.parley.message.Message;
import io.parley.pipes.OutputPipe;
import java.time.Duration;
import java.util.concurrent.CompletionException;

/** Lines to a pipe, whoever holds it, or to another peer's shell. */
final class LineSender implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final String name;
    private final OutputPipe pipe;

    private LineSender(String name, OutputPipe pipe) {
        this.name = TextFormatter.oneLine(name);
        this.pipe = pipe;
    }

    /**
     * Connects.
     *
     * @param whom the name of a pipe, or the name or the id of a peer
     */
    static LineSender to(ShellGroup place, String whom) {
        if (place.isSelf(whom)) {
            throw new CommandFailedException("That is this very peer. Talk to another one.");
        }
        try {
            return new LineSender(
                    whom, new NameConnector(place.group(), whom, ShellGroup.inbox(place.group())).connect(PATIENCE));
        } catch (RetryableException e) {
            if (e.code() != ErrorCode.UNREACHABLE) {
                throw e;
            }
            throw new CommandFailedException(
                    "Nobody in this group who holds a pipe " + TextFormatter.oneLine(whom)
                            + ", and no shell of a peer of that name, has answered within " + PATIENCE.toSeconds()
                            + " s. \"pipes\" and \"peers\" list who is there.",
                    e);
        }
    }

    String name() {
        return name;
    }

    /** Sends a line, and waits until it is on its way: while the holder is gone, until there is one again. */
    void say(String line) {
        try {
            pipe.send(Message.of("text", line)).join();
        } catch (CompletionException e) {
            throw ParleyException.unchecked(e);
        }
    }

    @Override
    public void close() {
        pipe.close();
    }
}
