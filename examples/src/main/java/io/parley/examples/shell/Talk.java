package io.parley.examples.shell;

import io.parley.error.ParleyException;
import io.parley.error.RetryableException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Failures;
import io.parley.examples.console.Text;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.Pipes;
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
     * @param whom a peer's id, or the name of a pipe
     */
    static Talk to(Place place, String whom) {
        PeerId peer;
        try {
            peer = PeerId.parse(whom);
        } catch (IllegalArgumentException e) {
            return toPipe(place, whom);
        }
        if (place.isSelf(peer)) {
            throw new CommandFailedException("That is this very peer. Talk to another one.");
        }
        try {
            OutputPipe pipe = place.group()
                    .locate(peer)
                    .thenCompose(located -> Pipes.of(place.group()).connectAsync(peer, Place.inbox(place.group())))
                    .orTimeout(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS)
                    .join();
            return new Talk(peer.shortText(), pipe);
        } catch (CompletionException e) {
            throw Failures.unwrap(e) instanceof ParleyException failure
                    ? failure
                    : new CommandFailedException(
                            "No answer from " + peer.shortText() + ". Check that its shell runs.", e);
        }
    }

    private static Talk toPipe(Place place, String name) {
        try {
            return new Talk(name, Pipes.of(place.group()).connect(name, PATIENCE));
        } catch (RetryableException e) {
            throw new CommandFailedException(
                    "No holder of a pipe " + Text.oneLine(name) + " in this group has answered within "
                            + PATIENCE.toSeconds() + " s. \"pipes\" lists those that are published.",
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
