package io.parley.examples.conversation;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
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
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Two pipes between two peers, one each way, that nobody else knows of. Messages arrive whole, in order and without a
 * gap, or the conversation fails: pipes deliver at most once, so every message carries a number.
 *
 * <pre>
 * guest                                                       host
 *   | -- topic, pipe G, elements of the application --> (pipe of the ticket)
 *   | (pipe G) &lt;-------------------- number 0, pipe H -- |
 *   | -- number 0, ... --------------------> (pipe H)      |
 *   | (pipe G) &lt;-------------------- number 1, ...  -- |
 *   | -- number n, end ---------------------> (pipe H)      |   either side ends it
 * </pre>
 *
 * <p>The host answers over the connection that the guest made, so the guest needs no address of its own.
 */
public final class Conversation implements AutoCloseable {

    /** How often a side that waits looks whether the other is still there. */
    private static final Duration LOOK = Duration.ofMillis(250);

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
     * Joins the conversation that a ticket invites to, and waits until the host has agreed.
     *
     * @param topic   what to talk about, which the host checks
     * @param hello   more for the host to know at once
     * @param timeout how long to wait for the host
     * @throws ParleyException when it can't be reached, doesn't serve the ticket, or refuses
     */
    public static Conversation join(Peer peer, PipeTicket ticket, String topic, Message hello, Duration timeout)
            throws InterruptedException {
        try (OutputPipe door = Pipes.of(peer).connect(ticket, timeout)) {
            return join(peer, door, topic, hello, timeout);
        }
    }

    /**
     * Same, with whoever goes by that name in the group: the holder of a pipe of that name, or the peer that bears it.
     *
     * @throws ParleyException when nobody has answered in time, or who has refuses
     * @throws CommandFailedException when several peers of that name have
     */
    public static Conversation join(
            Peer peer, PeerGroup group, String name, String topic, Message hello, Duration timeout)
            throws InterruptedException {
        try (OutputPipe door = search(group, name, topic).connect(timeout)) {
            return join(peer, door, topic, hello, timeout);
        }
    }

    /** Same, with the peer that bears that name alone. */
    public static Conversation joinPeer(
            Peer peer, PeerGroup group, String name, String topic, Message hello, Duration timeout)
            throws InterruptedException {
        try (OutputPipe door = search(group, name, topic).connectToPeer(timeout)) {
            return join(peer, door, topic, hello, timeout);
        }
    }

    private static NameConnector search(PeerGroup group, String name, String topic) {
        return new NameConnector(group, name, ConversationServer.doorOfPeer(Pipes.of(group), topic));
    }

    private static Conversation join(Peer peer, OutputPipe door, String topic, Message hello, Duration timeout)
            throws InterruptedException {
        Conversation conversation = new Conversation(peer, door.holder());
        try {
            door.send(Message.builder()
                            .add(ConversationProtocol.element(ConversationProtocol.TOPIC, topic))
                            .add(ConversationProtocol.element(
                                    ConversationProtocol.PIPE,
                                    conversation.in.id().text()))
                            .addAll(hello)
                            .build())
                    .join();
            Message answer = conversation
                    .receive(timeout)
                    .orElseThrow(() -> ErrorCode.TIMEOUT.exception("the other peer does not answer"));
            conversation.connect(ConversationProtocol.pipe(answer), timeout);
            return conversation;
        } catch (CompletionException e) {
            conversation.close();
            if (e.getCause() instanceof ParleyException failure) {
                throw failure;
            }
            throw e;
        } catch (RuntimeException | InterruptedException e) {
            conversation.close();
            throw e;
        }
    }

    /** Connects to the pipe that the host listens on, unless the host has left: then its last words are to be read. */
    private void connect(PipeId hostPipe, Duration timeout) throws InterruptedException {
        try {
            setOut(Pipes.of(peer).connect(other, hostPipe, timeout));
        } catch (InvalidCallException e) {
            if (e.code() != ErrorCode.NO_SUCH_SERVICE) {
                throw e;
            }
        }
    }

    /** The host's side of {@link #join}: connects to the guest's pipe; then {@link #invite} tells the one to answer on. */
    static CompletableFuture<Conversation> answer(Peer peer, PeerId guest, PipeId guestPipe) {
        Duration timeout = peer.endpoint().limits().reconnectTimeout();
        return Pipes.of(peer).connectAsync(guest, guestPipe, timeout).thenApply(out -> {
            Conversation conversation = new Conversation(peer, guest);
            conversation.setOut(out);
            return conversation;
        });
    }

    /** Tells the guest on which pipe to answer: the host's first message. */
    void invite() {
        send(Message.of(
                ConversationProtocol.element(ConversationProtocol.PIPE, in.id().text())));
    }

    private void setOut(OutputPipe pipe) {
        synchronized (sending) {
            out = pipe;
        }
    }

    /** The format of the messages that are sent; empty while there is no connection. */
    public String codec() {
        return requireOut().codec().orElse("");
    }

    /** The other side, as its connection has proven. */
    public PeerId other() {
        return other;
    }

    /**
     * Sends a message, waiting for room as long as the other side is there.
     *
     * @throws ParleyException {@link ErrorCode#CLOSED} when it is gone
     */
    public void send(Message message) {
        synchronized (sending) {
            do {
                if (closing.get()) {
                    throw ErrorCode.CLOSED.exception("the conversation is closed");
                }
                checkOther();
            } while (!send(message, LOOK));
        }
    }

    /** Sends a message if there is room now, and says whether there was. */
    public boolean offer(Message message) {
        synchronized (sending) {
            OutputPipe pipe = requireOut();
            return pipe.isWritable() && send(message, Duration.ZERO);
        }
    }

    private boolean send(Message message, Duration timeout) {
        OutputPipe pipe = requireOut();
        checkSent();
        Message numbered = Message.builder()
                .add(ConversationProtocol.element(ConversationProtocol.NUMBER, Long.toString(sent)))
                .addAll(message)
                .build();
        if (!awaitWritable(pipe, timeout)) {
            return false;
        }
        CompletableFuture<Void> future = pipe.send(numbered);
        if (failureOf(future) instanceof ParleyException full && full.code() == ErrorCode.QUEUE_FULL) {
            return false;
        }
        sent++;
        future.whenComplete((done, failure) -> {
            if (failure != null) {
                sendFailure = failure;
            }
        });
        checkSent();
        return true;
    }

    private static boolean awaitWritable(OutputPipe pipe, Duration timeout) {
        try {
            pipe.whenWritable().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return true; // sending fails with the reason
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ErrorCode.CLOSED.exception("conversation: interrupted while waiting for room in the queue", e);
        }
    }

    private OutputPipe requireOut() {
        if (out == null) {
            throw ErrorCode.CLOSED.exception("the other side has ended the conversation");
        }
        return out;
    }

    private static @Nullable Throwable failureOf(CompletableFuture<Void> future) {
        if (!future.isCompletedExceptionally()) {
            return null;
        }
        try {
            future.join();
            return null;
        } catch (CompletionException | CancellationException e) {
            return e.getCause() == null ? e : e.getCause();
        }
    }

    private void checkSent() {
        Throwable failure = sendFailure;
        if (failure != null) {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            throw ErrorCode.CLOSED.exception("the other side is gone (" + cause.getMessage() + ")", failure);
        }
    }

    private void checkOther() {
        checkSent();
        if (!peer.endpoint().connectedPeers().contains(other)) {
            throw ErrorCode.CLOSED.exception("the connection to the other side is lost");
        }
    }

    /**
     * Takes the next message, waiting as long as the other side is there.
     *
     * @return empty when the other side has ended the conversation in order
     * @throws ParleyException {@link ErrorCode#CLOSED} when it is gone or messages were lost, or the reason that the
     *     other side gave when it ended the conversation
     */
    public Optional<Message> receive() throws InterruptedException {
        return receive(null);
    }

    /** Same, and {@link ErrorCode#TIMEOUT} when nothing comes in time. */
    private Optional<Message> receive(@Nullable Duration timeout) throws InterruptedException {
        if (ended) {
            return Optional.empty();
        }
        long start = System.nanoTime();
        while (true) {
            Optional<PipeMessage> next = in.receive(LOOK);
            if (next.isEmpty()) {
                if (timeout != null && System.nanoTime() - start > timeout.toNanos()) {
                    throw ErrorCode.TIMEOUT.exception(
                            "the other side did not answer within " + timeout.toSeconds() + " s");
                }
                next = lastWords();
            }
            // The pipe's id is secret, so a message of somebody else is a mistake at best.
            if (next.isPresent() && next.get().from().equals(other)) {
                return accept(next.get().message());
            }
        }
    }

    /** When the connection is gone, what came before it went is still there to be read. */
    private Optional<PipeMessage> lastWords() throws InterruptedException {
        try {
            checkOther();
            return Optional.empty();
        } catch (ParleyException e) {
            Optional<PipeMessage> last = in.receive(Duration.ZERO);
            if (last.isEmpty()) {
                throw e;
            }
            return last;
        }
    }

    private Optional<Message> accept(Message message) {
        if (!Long.toString(received).equals(ConversationProtocol.text(message, ConversationProtocol.NUMBER))) {
            throw ErrorCode.CLOSED.exception("messages were lost when the connection broke");
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

    /** Whether an element is the application's own. */
    public static boolean isOwn(MessageElement element) {
        return element.namespace().isEmpty();
    }

    /**
     * What the other side gave as its reason when it ended the conversation, if it did: to be asked after a failure, by
     * the thread that reads.
     */
    public Optional<ParleyException> farewell() throws InterruptedException {
        try {
            Optional<PipeMessage> next = in.receive(Duration.ZERO);
            while (next.isPresent()) {
                if (next.get().from().equals(other)) {
                    accept(next.get().message());
                }
                next = in.receive(Duration.ZERO);
            }
            return Optional.empty();
        } catch (ParleyException e) {
            return ended ? Optional.of(e) : Optional.empty();
        }
    }

    /** Tells the other side why, then closes; does not wait until that has been sent. */
    public void fail(ParleyException reason) {
        end(reason);
    }

    /** Ends the conversation: the other side gets what was sent, and then the end. */
    @Override
    public void close() {
        end(null);
        OutputPipe pipe;
        synchronized (sending) {
            pipe = out;
        }
        // Nothing is on its way to somebody who has left, so there is nothing to wait for.
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
                // Best effort: when it can't be sent, the other side notices the lost connection.
                try {
                    if (isOtherListening()) {
                        send(Message.of(ConversationProtocol.end(reason)), LOOK);
                    }
                } catch (ParleyException e) {
                    // The other side is gone, there is nobody to tell.
                }
                out.closeAsync();
            }
        }
        // Only now: a message that finds no pipe must not overtake the reason.
        in.close();
    }
}
