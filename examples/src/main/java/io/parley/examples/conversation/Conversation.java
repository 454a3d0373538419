package io.parley.examples.conversation;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Futures;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.search.NameConnector;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.pipes.BidirectionalPipe;
import io.parley.pipes.BidirectionalPipes;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.Pipes;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A bidirectional pipe for threads that block: sends wait for room in the queue, and not for each acknowledgement. One thread receives;
 * any thread may send.
 */
public final class Conversation implements AutoCloseable {

    /** In the first message of a guest: the topic of the conversation. */
    static final String TOPIC = "topic";

    private static final String NAMESPACE = "talk";

    private final BidirectionalPipe pipe;
    private final Object sending = new Object();
    private CompletableFuture<Void> lastSend = CompletableFuture.completedFuture(null);

    /** Takes ownership of the pipe. */
    Conversation(BidirectionalPipe pipe) {
        this.pipe = pipe;
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
        peer.endpoint().addPeerAddress(ticket.holder());
        return join(peer, ticket.holder().peer(), ticket.pipe(), topic, hello, timeout);
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
        try (OutputPipe found = connector(group, name, topic).connect(timeout)) {
            return join(peer, found.holder(), found.id(), topic, hello, timeout);
        }
    }

    /** Joins the conversation of a peer, which is given by its name or id in a group. */
    public static Conversation joinPeer(
            Peer peer, PeerGroup group, String name, String topic, Message hello, Duration timeout)
            throws InterruptedException {
        try (OutputPipe found = connector(group, name, topic).connectToPeer(timeout)) {
            return join(peer, found.holder(), found.id(), topic, hello, timeout);
        }
    }

    private static NameConnector connector(PeerGroup group, String name, String topic) {
        return new NameConnector(group, name, ConversationServer.pipeOfPeer(Pipes.of(group), topic));
    }

    private static Conversation join(Peer peer, PeerId host, PipeId id, String topic, Message hello, Duration timeout)
            throws InterruptedException {
        Message withTopic = Message.builder()
                .add(MessageElement.ofText(TOPIC, topic).withNamespace(NAMESPACE))
                .addAll(hello)
                .build();
        return new Conversation(BidirectionalPipes.of(peer).withHello(withTopic).connect(host, id, timeout));
    }

    /** Returns the topic in the first message of a guest; empty if there is none. */
    static String topic(Message hello) {
        return hello.element(NAMESPACE, TOPIC).map(MessageElement::text).orElse("");
    }

    /** Returns the format of the messages that are sent; empty without a connection. */
    public String codec() {
        return pipe.codec().orElse("");
    }

    /** Returns the authenticated id of the other peer. */
    public PeerId other() {
        return pipe.remotePeer();
    }

    /**
     * Sends a message. Waits while the queue is full. See {@link #awaitDelivery()}.
     *
     * @throws ParleyException {@link ErrorCode#CLOSED} if the conversation is closed, {@link ErrorCode#DISCONNECTED} if the
     *     other peer is lost or has ended the conversation, or the reason that the other peer gave
     */
    public void send(Message message) {
        sendWithin(null, message);
    }

    /** Sends as {@link #send(Message)}. Fails with {@link ErrorCode#TIMEOUT} if the queue was full for the timeout. */
    public void send(Message message, Duration timeout) {
        sendWithin(timeout, message);
    }

    private void sendWithin(@Nullable Duration timeout, Message message) {
        synchronized (sending) {
            do {
                awaitWritable(timeout);
            } while (!trySend(message));
        }
    }

    /** Sends a message if the queue has room, and returns whether it had. */
    public boolean offer(Message message) {
        synchronized (sending) {
            return trySend(message);
        }
    }

    private void awaitWritable(@Nullable Duration timeout) {
        CompletableFuture<Void> writable = pipe.whenWritable();
        try {
            if (timeout == null) {
                writable.get();
            } else {
                writable.get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
            }
        } catch (TimeoutException e) {
            throw ErrorCode.TIMEOUT.exception(
                    "the other peer has read nothing for " + TextFormatter.seconds(timeout), e);
        } catch (ExecutionException e) {
            // The send fails with the reason.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ErrorCode.CLOSED.exception("conversation: interrupted while waiting for room in the queue", e);
        }
    }

    /** Sends a message, and returns false if the queue is full. The caller must hold the lock. */
    private boolean trySend(Message message) {
        CompletableFuture<Void> future = pipe.send(message);
        if (future.isCompletedExceptionally()) {
            ParleyException failure = failureOf(Futures.failureOf(future));
            if (failure.code() == ErrorCode.QUEUE_FULL) {
                return false;
            }
            throw failure;
        }
        lastSend = future;
        return true;
    }

    private static ParleyException failureOf(Throwable failure) {
        return failure instanceof ParleyException known && known.code() != ErrorCode.LOST
                ? known
                : ErrorCode.DISCONNECTED.exception("lost the other peer (" + failure.getMessage() + ")", failure);
    }

    /**
     * Waits until the other peer has all messages that were sent.
     *
     * @throws ParleyException as {@link #send}
     */
    public void awaitDelivery() throws InterruptedException {
        CompletableFuture<Void> last;
        synchronized (sending) {
            last = lastSend;
        }
        await(last); // pipes complete sends in order
    }

    /** Ends the messages of this peer, and waits until the other peer has them all. Messages can still be received. */
    public void closeOutput() throws InterruptedException {
        await(pipe.closeOutput());
    }

    private static void await(CompletableFuture<Void> future) throws InterruptedException {
        try {
            future.get();
        } catch (ExecutionException e) {
            throw failureOf(Futures.unwrap(e));
        }
    }

    /**
     * Returns the next message. Waits until there is one.
     *
     * @return the message; empty if the other peer has ended the conversation without a failure
     * @throws ParleyException {@link ErrorCode#DISCONNECTED} if the other peer is lost; otherwise the reason that the other
     *     peer gave when it ended the conversation
     */
    public Optional<Message> receive() throws InterruptedException {
        CompletableFuture<Optional<Message>> next = pipe.receiveAsync();
        try {
            return next.get();
        } catch (ExecutionException e) {
            throw failureOf(Futures.unwrap(e));
        } catch (InterruptedException e) {
            next.cancel(false);
            throw e;
        }
    }

    /** Receives as {@link #receive()}. Fails with {@link ErrorCode#TIMEOUT} if nothing was received within the timeout. */
    public Optional<Message> receive(Duration timeout) throws InterruptedException {
        return pipe.receive(timeout);
    }

    /** Ends the conversation with a failure, which is sent to the other peer. Does not wait until it has been sent. */
    public void fail(ParleyException reason) {
        pipe.fail(reason);
    }

    /** Ends the conversation. Waits until the other peer has all messages that were sent before, or is lost. */
    @Override
    public void close() {
        pipe.close();
    }
}
