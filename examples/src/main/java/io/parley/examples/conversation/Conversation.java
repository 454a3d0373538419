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
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A pair of private pipes between two peers, one in each direction. Messages arrive once and in order, also if connections
 * break meanwhile, or the conversation fails. One thread receives; any thread may send.
 *
 * <pre>
 * guest                                                       host
 *   | -- version, topic, pipe G, elements of the application --> (pipe of the ticket)
 *   | (pipe G) &lt;------------------- version, pipe H -- |
 *   | -- ... -----------------------------> (pipe H)      |
 *   | (pipe G) &lt;---------------------------------- ... -- |
 *   | -- end -----------------------------> (pipe H)      |   either peer ends it
 * </pre>
 *
 * <p>The host uses the connection that the guest has opened, so the guest needs no address of its own. The guest connects
 * again after a loss. A peer that stays disconnected for {@link io.parley.endpoint.EndpointLimits#reconnectTimeout()} is
 * lost.
 */
public final class Conversation implements AutoCloseable {

    /** The interval at which a waiting thread checks that the other peer is not lost. */
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(250);

    /** The maximum time that a host waits for the pipe of a guest. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

    private final Peer peer;
    private final PeerId other;
    private final InputPipe in;
    private final Object sending = new Object();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final ConnectionMonitor connection;
    private volatile @Nullable OutputPipe out;
    private CompletableFuture<Void> lastSend = CompletableFuture.completedFuture(null);
    private volatile @Nullable Throwable sendFailure;
    private volatile boolean ended;

    private Conversation(Peer peer, PeerId other) {
        this.peer = peer;
        this.other = other;
        this.in = Pipes.of(peer).open(PipeId.random(GroupId.NET));
        this.connection = new ConnectionMonitor(peer.endpoint(), other, this::probe);
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
                    .add(ConversationProtocol.version())
                    .add(ConversationProtocol.element(ConversationProtocol.TOPIC, topic))
                    .add(ConversationProtocol.element(
                            ConversationProtocol.PIPE, conversation.in.id().text()))
                    .addAll(hello)
                    .build()));
            Message response = conversation
                    .receiveUntil(new CompletableFuture<Void>()
                            .completeOnTimeout(null, timeout.toNanos(), TimeUnit.NANOSECONDS))
                    .orElseThrow(() -> ErrorCode.TIMEOUT.exception(
                            "the other peer did not respond within " + timeout.toSeconds() + " s"));
            ConversationProtocol.requireVersion(response);
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
        return Pipes.of(peer).connectAsync(guest, guestPipe, CONNECT_TIMEOUT).thenApply(out -> {
            Conversation conversation = new Conversation(peer, guest);
            conversation.setOut(out);
            return conversation;
        });
    }

    /** Accepts the guest: sends the host's first message, with the id of the pipe for the guest's messages. */
    void accept() {
        send(Message.of(
                ConversationProtocol.version(),
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
     * Sends a message. Waits while the queue is full. See {@link #awaitDelivery()}.
     *
     * @throws ParleyException {@link ErrorCode#CLOSED} if the conversation is closed, {@link ErrorCode#DISCONNECTED} if the
     *     other peer is lost or has ended the conversation
     */
    public void send(Message message) {
        synchronized (sending) {
            do {
                if (closing.get()) {
                    throw ErrorCode.CLOSED.exception("the conversation is closed");
                }
                checkNotLost();
            } while (!awaitWritable(requireOut(), CHECK_INTERVAL) || !trySend(message));
        }
    }

    /** Sends a message if the queue has room, and returns whether it had. */
    public boolean offer(Message message) {
        synchronized (sending) {
            return requireOut().isWritable() && trySend(message);
        }
    }

    private static boolean awaitWritable(OutputPipe pipe, Duration timeout) {
        if (pipe.isWritable()) {
            return true;
        }
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

    /** Sends a message, and returns false if the queue is full. The caller must hold the lock. */
    private boolean trySend(Message message) {
        checkSends();
        CompletableFuture<Void> future = requireOut().send(message);
        if (future.isCompletedExceptionally() && isQueueFull(Futures.failureOf(future))) {
            return false;
        }
        lastSend = future;
        noteFailure(future);
        checkSends();
        return true;
    }

    private static boolean isQueueFull(Throwable failure) {
        return failure instanceof ParleyException full && full.code() == ErrorCode.QUEUE_FULL;
    }

    private void noteFailure(CompletableFuture<Void> future) {
        future.whenComplete((done, failure) -> {
            if (failure != null && !isQueueFull(Futures.unwrap(failure))) {
                sendFailure = failure;
            }
        });
    }

    /**
     * Waits until the other peer has all messages that were sent.
     *
     * @throws ParleyException {@link ErrorCode#DISCONNECTED} if the other peer is lost or has ended the conversation
     */
    public void awaitDelivery() throws InterruptedException {
        CompletableFuture<Void> last;
        synchronized (sending) {
            last = lastSend;
        }
        try {
            last.get(); // pipes complete sends in order
        } catch (ExecutionException e) {
            throw lost(Futures.unwrap(e));
        }
        checkSends();
    }

    /**
     * Sends a message without content, which fails if the other peer has restarted and does not know this conversation. If the
     * queue is full, its messages do the same.
     */
    private void probe() {
        OutputPipe pipe = out;
        if (pipe != null && !closing.get()) {
            noteFailure(pipe.send(Message.of(ConversationProtocol.element(ConversationProtocol.PROBE, ""))));
        }
    }

    private OutputPipe requireOut() {
        OutputPipe pipe = out;
        if (pipe == null) {
            throw ErrorCode.DISCONNECTED.exception("the other peer has ended the conversation");
        }
        return pipe;
    }

    private static ParleyException lost(Throwable cause) {
        return ErrorCode.DISCONNECTED.exception("lost the other peer (" + cause.getMessage() + ")", cause);
    }

    private void checkSends() {
        Throwable failure = sendFailure;
        if (failure != null) {
            throw lost(Futures.unwrap(failure));
        }
    }

    private void checkNotLost() {
        checkSends();
        connection.check();
    }

    /**
     * Returns the next message. Waits until there is one.
     *
     * @return the message; empty if the other peer has ended the conversation without a failure
     * @throws ParleyException {@link ErrorCode#DISCONNECTED} if the other peer is lost; otherwise the reason that the other
     *     peer gave when it ended the conversation
     */
    public Optional<Message> receive() throws InterruptedException {
        return receiveUntil(new CompletableFuture<>());
    }

    /** Receives as {@link #receive()}, and returns an empty result as well a moment after {@code done} has completed. */
    public Optional<Message> receiveUntil(Future<?> done) throws InterruptedException {
        while (!ended) {
            Optional<PipeMessage> next = in.receive(CHECK_INTERVAL);
            if (next.isEmpty()) {
                if (done.isDone()) {
                    return Optional.empty();
                }
                next = receiveAfterLoss();
            }
            if (next.isPresent() && belongs(next.get())) {
                return withoutEnd(next.get().message());
            }
        }
        return Optional.empty();
    }

    /** Fails if the other peer is lost, unless a message has arrived before the loss. */
    private Optional<PipeMessage> receiveAfterLoss() throws InterruptedException {
        try {
            checkNotLost();
            return Optional.empty();
        } catch (ParleyException e) {
            Optional<PipeMessage> last = in.receive(Duration.ZERO);
            if (last.isEmpty()) {
                throw e;
            }
            return last;
        }
    }

    /** Returns whether a message is part of the conversation. The id of the pipe is secret, so other peers are invalid. */
    private boolean belongs(PipeMessage received) {
        return received.from().equals(other)
                && ConversationProtocol.text(received.message(), ConversationProtocol.PROBE) == null;
    }

    private Optional<Message> withoutEnd(Message message) {
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
                if (belongs(next.get())) {
                    withoutEnd(next.get().message());
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

    /** Ends the conversation. Waits until the other peer has all messages that were sent before, or is lost. */
    @Override
    public void close() {
        end(null);
        OutputPipe pipe = out;
        if (pipe != null && isOtherListening()) {
            pipe.close();
        }
        connection.close();
    }

    private boolean isOtherListening() {
        return !ended && sendFailure == null && !connection.isLost();
    }

    private void end(@Nullable ParleyException reason) {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        synchronized (sending) {
            OutputPipe pipe = out;
            if (pipe != null) {
                // Best effort: if the send fails, the other peer detects that this peer is lost.
                if (isOtherListening() && awaitWritable(pipe, CHECK_INTERVAL)) {
                    pipe.send(Message.of(ConversationProtocol.end(reason)));
                }
                pipe.closeAsync();
            }
        }
        // Last, because the rejection of a message for a closed pipe must not overtake the reason.
        in.close();
    }
}
