package io.parley.examples.conversation;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Futures;
import io.parley.examples.search.NameConnector;
import io.parley.group.PeerGroup;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.pipes.InputPipe;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.Pipes;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A pair of private pipes between two peers, one in each direction. Messages arrive complete, in order and without a gap,
 * or the conversation fails: pipes deliver at most once, so every message has a number. One thread receives; any thread
 * may send.
 *
 * <pre>
 * guest                                                       host
 *   | -- topic, pipe G, elements of the application --> (pipe of the ticket)
 *   | (pipe G) &lt;-------------------- number 0, pipe H -- |
 *   | -- number 0, ... --------------------> (pipe H)      |
 *   | (pipe G) &lt;-------------------- number 1, ...  -- |
 *   | -- number n, end ---------------------> (pipe H)      |   either peer ends it
 * </pre>
 *
 * <p>The host uses the connection that the guest has opened, so the guest needs no address of its own.
 */
public final class Conversation implements AutoCloseable {

    /** The interval at which a waiting thread checks that the other peer is still connected. */
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(250);

    private final Peer peer;
    private final PeerId other;
    private final InputPipe in;
    private final Object sending = new Object();
    private final AtomicBoolean closing = new AtomicBoolean();
    private @Nullable OutputPipe out;
    private long sent;
    private long received;
    private volatile @Nullable Throwable sendFailure;
    private volatile boolean ended;

    private Conversation(Peer peer, PeerId other) {
        this.peer = peer;
        this.other = other;
        this.in = Pipes.of(peer).open(PipeId.random(GroupId.NET));
    }

    /**
     * Joins the conversation of a ticket, and waits until the host has accepted.
     *
     * @param topic   the purpose of the conversation, which the host verifies
     * @param hello   the elements of the first message to the host
     * @param timeout the maximum time to wait for the host
     * @throws ParleyException if the host cannot be reached, does not serve the ticket, or refuses
     */
    public static Conversation join(Peer peer, PipeTicket ticket, String topic, Message hello, Duration timeout)
            throws InterruptedException {
        try (OutputPipe hostPipe = Pipes.of(peer).connect(ticket, timeout)) {
            return join(peer, hostPipe, topic, hello, timeout);
        }
    }

    /**
     * Joins the conversation of a name in a group: the name of a pipe, or the name or id of a peer.
     *
     * @throws ParleyException if no peer has responded in time, or if the host refuses
     * @throws CommandFailedException if several peers with that name have responded
     */
    public static Conversation join(
            Peer peer, PeerGroup group, String name, String topic, Message hello, Duration timeout)
            throws InterruptedException {
        try (OutputPipe hostPipe = connector(group, name, topic).connect(timeout)) {
            return join(peer, hostPipe, topic, hello, timeout);
        }
    }

    /** Joins the conversation of a peer, which is given by its name or id in a group. */
    public static Conversation joinPeer(
            Peer peer, PeerGroup group, String name, String topic, Message hello, Duration timeout)
            throws InterruptedException {
        try (OutputPipe hostPipe = connector(group, name, topic).connectToPeer(timeout)) {
            return join(peer, hostPipe, topic, hello, timeout);
        }
    }

    private static NameConnector connector(PeerGroup group, String name, String topic) {
        return new NameConnector(group, name, ConversationServer.pipeOfPeer(Pipes.of(group), topic));
    }

    private static Conversation join(Peer peer, OutputPipe hostPipe, String topic, Message hello, Duration timeout)
            throws InterruptedException {
        Conversation conversation = new Conversation(peer, hostPipe.holder());
        try {
            Futures.join(hostPipe.send(Message.builder()
                    .add(ConversationProtocol.element(ConversationProtocol.TOPIC, topic))
                    .add(ConversationProtocol.element(
                            ConversationProtocol.PIPE, conversation.in.id().text()))
                    .addAll(hello)
                    .build()));
            Message response = conversation
                    .receive(timeout)
                    .orElseThrow(() -> ErrorCode.TIMEOUT.exception("the other peer does not respond"));
            conversation.connect(ConversationProtocol.pipe(response), timeout);
            return conversation;
        } catch (RuntimeException | InterruptedException e) {
            conversation.close();
            throw e;
        }
    }

    /** Connects to the host's pipe. If the host has closed it already, its last messages can still be received. */
    private void connect(PipeId pipe, Duration timeout) throws InterruptedException {
        try {
            setOut(Pipes.of(peer).connect(other, pipe, timeout));
        } catch (InvalidCallException e) {
            if (e.code() != ErrorCode.NO_SUCH_SERVICE) {
                throw e;
            }
        }
    }

    /**
     * Connects to the guest's pipe: the host's part of {@link #join}. {@link #accept()} then sends the id of the host's pipe.
     */
    static CompletableFuture<Conversation> connectToGuest(Peer peer, PeerId guest, PipeId guestPipe) {
        Duration timeout = peer.endpoint().limits().reconnectTimeout();
        return Pipes.of(peer).connectAsync(guest, guestPipe, timeout).thenApply(out -> {
            Conversation conversation = new Conversation(peer, guest);
            conversation.setOut(out);
            return conversation;
        });
    }

    /** Accepts the guest: sends the host's first message, with the id of the pipe for the guest's messages. */
    void accept() {
        send(Message.of(
                ConversationProtocol.element(ConversationProtocol.PIPE, in.id().text())));
    }

    private void setOut(OutputPipe pipe) {
        synchronized (sending) {
            out = pipe;
        }
    }

    /** Returns the format of the messages that are sent; empty without a connection. */
    public String codec() {
        return requireOut().codec().orElse("");
    }

    /** Returns the authenticated id of the other peer. */
    public PeerId other() {
        return other;
    }

    /**
     * Sends a message. Waits while the queue is full and the other peer is connected.
     *
     * @throws ParleyException {@link ErrorCode#CLOSED} if the other peer is not connected any more
     */
    public void send(Message message) {
        synchronized (sending) {
            do {
                if (closing.get()) {
                    throw ErrorCode.CLOSED.exception("the conversation is closed");
                }
                checkConnected();
            } while (!send(message, CHECK_INTERVAL));
        }
    }

    /** Sends a message if the queue has room, and returns whether it had. */
    public boolean offer(Message message) {
        synchronized (sending) {
            OutputPipe pipe = requireOut();
            return pipe.isWritable() && send(message, Duration.ZERO);
        }
    }

    private static boolean awaitWritable(OutputPipe pipe, Duration timeout) {
        try {
            pipe.whenWritable().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return true; // the send fails with the reason
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ErrorCode.CLOSED.exception("conversation: interrupted while waiting for room in the queue", e);
        }
    }

    private boolean send(Message message, Duration timeout) {
        OutputPipe pipe = requireOut();
        checkSends();
        Message numbered = Message.builder()
                .add(ConversationProtocol.element(ConversationProtocol.NUMBER, Long.toString(sent)))
                .addAll(message)
                .build();
        if (!awaitWritable(pipe, timeout)) {
            return false;
        }
        CompletableFuture<Void> future = pipe.send(numbered);
        @Nullable Throwable refusal = future.isCompletedExceptionally() ? Futures.failureOf(future) : null;
        if (refusal instanceof ParleyException full && full.code() == ErrorCode.QUEUE_FULL) {
            return false;
        }
        sent++;
        future.whenComplete((done, failure) -> {
            if (failure != null) {
                sendFailure = failure;
            }
        });
        checkSends();
        return true;
    }

    private OutputPipe requireOut() {
        if (out == null) {
            throw ErrorCode.DISCONNECTED.exception("the other peer has ended the conversation");
        }
        return out;
    }

    private void checkSends() {
        Throwable failure = sendFailure;
        if (failure != null) {
            throw ErrorCode.DISCONNECTED.exception(
                    "lost the other peer (" + Futures.unwrap(failure).getMessage() + ")", failure);
        }
    }

    private void checkConnected() {
        checkSends();
        if (!peer.endpoint().connectedPeers().contains(other)) {
            throw ErrorCode.DISCONNECTED.exception("lost the connection to the other peer");
        }
    }

    /**
     * Returns the next message. Waits while the other peer is connected.
     *
     * @return the message; empty if the other peer has ended the conversation without a failure
     * @throws ParleyException {@link ErrorCode#CLOSED} if the other peer is not connected any more or if messages were
     *     lost; otherwise the reason that the other peer gave when it ended the conversation
     */
    public Optional<Message> receive() throws InterruptedException {
        return receive(null);
    }

    /** Receives as {@link #receive()}, and fails with {@link ErrorCode#TIMEOUT} if no message arrives in time. */
    private Optional<Message> receive(@Nullable Duration timeout) throws InterruptedException {
        if (ended) {
            return Optional.empty();
        }
        long start = System.nanoTime();
        while (true) {
            Optional<PipeMessage> next = in.receive(CHECK_INTERVAL);
            if (next.isEmpty()) {
                if (timeout != null && System.nanoTime() - start > timeout.toNanos()) {
                    throw ErrorCode.TIMEOUT.exception(
                            "the other peer did not respond within " + timeout.toSeconds() + " s");
                }
                next = receiveAfterDisconnect();
            }
            // The id of the pipe is secret, so a message from another peer is invalid.
            if (next.isPresent() && next.get().from().equals(other)) {
                return verify(next.get().message());
            }
        }
    }

    /** Returns a message that arrived before the connection was lost, if there is one. */
    private Optional<PipeMessage> receiveAfterDisconnect() throws InterruptedException {
        try {
            checkConnected();
            return Optional.empty();
        } catch (ParleyException e) {
            Optional<PipeMessage> last = in.receive(Duration.ZERO);
            if (last.isEmpty()) {
                throw e;
            }
            return last;
        }
    }

    private Optional<Message> verify(Message message) {
        if (!Long.toString(received).equals(ConversationProtocol.text(message, ConversationProtocol.NUMBER))) {
            throw ErrorCode.DISCONNECTED.exception("messages were lost when the connection broke");
        }
        received++;
        String end = ConversationProtocol.text(message, ConversationProtocol.END);
        if (end == null) {
            return Optional.of(message);
        }
        ended = true;
        ParleyException failure = ConversationProtocol.failure(end);
        if (failure != null) {
            throw failure;
        }
        return Optional.empty();
    }

    /** Returns whether an element belongs to the application and not to the conversation. */
    public static boolean isOwn(MessageElement element) {
        return element.namespace().isEmpty();
    }

    /**
     * Returns the reason that the other peer gave when it ended the conversation, if it gave one. Must be called by the
     * receiving thread, after a failure.
     */
    public Optional<ParleyException> endReason() throws InterruptedException {
        try {
            Optional<PipeMessage> next = in.receive(Duration.ZERO);
            while (next.isPresent()) {
                if (next.get().from().equals(other)) {
                    verify(next.get().message());
                }
                next = in.receive(Duration.ZERO);
            }
            return Optional.empty();
        } catch (ParleyException e) {
            return ended ? Optional.of(e) : Optional.empty();
        }
    }

    /** Ends the conversation with a failure, which is sent to the other peer. Does not wait until it has been sent. */
    public void fail(ParleyException reason) {
        end(reason);
    }

    /** Ends the conversation. The other peer receives all messages that were sent before. */
    @Override
    public void close() {
        end(null);
        OutputPipe pipe;
        synchronized (sending) {
            pipe = out;
        }
        // Without a listening peer, no message is pending.
        if (pipe != null && isOtherListening()) {
            pipe.close();
        }
    }

    private boolean isOtherListening() {
        return !ended && peer.endpoint().connectedPeers().contains(other);
    }

    private void end(@Nullable ParleyException reason) {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        synchronized (sending) {
            if (out != null) {
                // Best effort: if the send fails, the other peer detects the lost connection.
                try {
                    if (isOtherListening()) {
                        send(Message.of(ConversationProtocol.end(reason)), CHECK_INTERVAL);
                    }
                } catch (ParleyException e) {
                    // The other peer is not connected any more.
                }
                out.closeAsync();
            }
        }
        // Last, because the rejection of a message for a closed pipe must not overtake the reason.
        in.close();
    }
}
