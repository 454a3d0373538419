package io.parley.examples.shell;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.RetryableException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Failures;
import io.parley.examples.console.Text;
import io.parley.examples.search.NameSearch;
import io.parley.message.Message;
import io.parley.pipes.OutputPipe;
import java.time.Duration;
import java.util.concurrent.CompletionException;

/** Lines to a pipe, whoever holds it, or to another peer's shell. */
final class Talk implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final String name;
    private final OutputPipe pipe;

    private Talk(String name, OutputPipe pipe) {
        this.name = Text.oneLine(name);
        this.pipe = pipe;
    }

    /**
     * Connects.
     *
     * @param whom the name of a pipe, or the name or the id of a peer
     */
    static Talk to(Place place, String whom) {
        if (place.isSelf(whom)) {
            throw new CommandFailedException("That is this very peer. Talk to another one.");
        }
        try {
            return new Talk(whom, new NameSearch(place.group(), whom, Place.inbox(place.group())).connect(PATIENCE));
        } catch (RetryableException e) {
            if (e.code() != ErrorCode.UNREACHABLE) {
                throw e;
            }
            throw new CommandFailedException(
                    "Nobody in this group who holds a pipe " + Text.oneLine(whom)
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
            throw Failures.unwrap(e) instanceof ParleyException failure ? failure : e;
        }
    }

    @Override
    public void close() {
        pipe.close();
    }
}
