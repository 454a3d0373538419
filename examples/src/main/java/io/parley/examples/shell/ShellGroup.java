package io.parley.examples.shell;

import io.parley.examples.console.Console;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.publish.AdvertisementPublisher;
import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.pipes.InputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;

/** A group that the shell is in: what it has published there, and the pipe on which others reach it as a peer. */
final class ShellGroup implements AutoCloseable {

    private static final String INBOX = "shell";

    private final PeerGroup group;
    private final Console console;
    private final AdvertisementPublisher publishing;
    private final InputPipe inbox;

    ShellGroup(PeerGroup group, Console console) {
        this.group = group;
        this.console = console;
        this.publishing = new AdvertisementPublisher(group, console);
        this.inbox = Pipes.of(group).listen(inbox(group), this::show);
    }

    /** The pipe on which a shell in that group is reached. */
    static PipeId inbox(PeerGroup group) {
        return PipeId.ofName(group.id(), INBOX);
    }

    private void show(PipeMessage message) {
        console.print(message.from().shortText() + " says: "
                + TextFormatter.oneLine(message.message().text("text").orElse("(no text)")));
    }

    PeerGroup group() {
        return group;
    }

    AdvertisementPublisher publishing() {
        return publishing;
    }

    /** Whether that is the id of this peer. */
    boolean isSelf(String peer) {
        return group.endpoint().peerId().text().equalsIgnoreCase(peer);
    }

    @Override
    public void close() {
        inbox.closeAsync();
        publishing.close();
    }
}
