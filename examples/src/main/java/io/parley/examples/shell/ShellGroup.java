package io.parley.examples.shell;

import io.parley.examples.console.Console;
import io.parley.examples.publish.AdvertisementPublisher;
import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.pipes.InputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;

/** A group that the shell has joined: its publications in the group, and the pipe on which other shells reach it. */
final class ShellGroup implements AutoCloseable {

    private static final String INBOX = "shell";

    private final PeerGroup group;
    private final Console console;
    private final AdvertisementPublisher publisher;
    private final InputPipe inbox;

    ShellGroup(PeerGroup group, Console console) {
        this.group = group;
        this.console = console;
        this.publisher = new AdvertisementPublisher(group, console);
        this.inbox = Pipes.of(group).listen(inbox(group), this::print);
    }

    /** Returns the pipe on which a shell in that group is reached. */
    static PipeId inbox(PeerGroup group) {
        return PipeId.ofName(group.id(), INBOX);
    }

    private void print(PipeMessage message) {
        console.print(AdvertisementPublisher.sender(message.from(), message.message()) + ": "
                + AdvertisementPublisher.text(message.message()));
    }

    PeerGroup group() {
        return group;
    }

    AdvertisementPublisher publisher() {
        return publisher;
    }

    @Override
    public void close() {
        inbox.closeAsync();
        publisher.close();
    }
}
