package io.parley.examples.shell;

import io.parley.error.ErrorCode;
import io.parley.error.RetryableException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.publish.AdvertisementPublisher;
import io.parley.examples.search.NameConnector;
import io.parley.group.PeerGroup;
import io.parley.message.Message;
import io.parley.pipes.OutputPipe;
import java.time.Duration;

/** Sends lines to the holder of a pipe, or to the shell of a peer. */
public final class LineSender implements AutoCloseable {

    /** The maximum time that a user waits for a peer. */
    static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

    private final String name;
    private final String ownName;
    private final OutputPipe pipe;
    private final Duration timeout;

    private LineSender(String name, String ownName, OutputPipe pipe, Duration timeout) {
        this.name = TextFormatter.oneLine(name);
        this.ownName = ownName;
        this.pipe = pipe;
        this.timeout = timeout;
    }

    /** Connects to a pipe or a peer in a group, and waits 10 s at most. */
    public static LineSender connect(PeerGroup group, String target) {
        return connect(group, target, DEFAULT_TIMEOUT);
    }

    /**
     * Connects to a pipe or a peer in a group.
     *
     * @param target the name of a pipe, or the name or id of a peer
     * @param timeout the maximum time for this, and for each line
     */
    static LineSender connect(PeerGroup group, String target, Duration timeout) {
        if (group.endpoint().peerId().text().equalsIgnoreCase(target)) {
            throw new CommandFailedException("This is the id of this peer. Use another peer.");
        }
        try {
            OutputPipe pipe = new NameConnector(group, target, ShellGroup.inbox(group)).connect(timeout);
            return new LineSender(target, group.peerName(), pipe, timeout);
        } catch (RetryableException e) {
            if (e.code() != ErrorCode.UNREACHABLE) {
                throw e;
            }
            throw new CommandFailedException(
                    "No holder of a pipe " + TextFormatter.oneLine(target)
                            + " and no shell of a peer with that name has responded within "
                            + timeout.toSeconds()
                            + " s. \"search pipes\" and \"search peers\" list what this group contains.",
                    e);
        }
    }

    /** Returns the name of the pipe or peer that the lines go to. */
    public String name() {
        return name;
    }

    /**
     * Sends a line and waits until it has arrived. If the holder has disconnected, waits for a new holder.
     *
     * @throws CommandFailedException if no holder has accepted the line within the timeout; it is not sent then
     */
    public void send(String line) throws InterruptedException {
        Message message = Message.builder()
                .add(AdvertisementPublisher.TEXT, line)
                .add(AdvertisementPublisher.NAME, ownName)
                .build();
        try {
            pipe.send(message, timeout);
        } catch (RetryableException e) {
            if (e.code() != ErrorCode.TIMEOUT) {
                throw e;
            }
            throw new CommandFailedException(
                    "The line was not sent: " + name + " has not accepted it within " + TextFormatter.seconds(timeout)
                            + ". Check that the peer still runs.",
                    e);
        }
    }

    @Override
    public void close() {
        pipe.close();
    }
}
