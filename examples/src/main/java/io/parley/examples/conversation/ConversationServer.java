package io.parley.examples.conversation;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.BidirectionalPipes;
import io.parley.pipes.PipeAcceptor;
import io.parley.pipes.PipeConnectRequest;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.Pipes;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts conversations from guests that have a ticket or know a name. Each conversation runs on a thread of its own; their
 * number is limited.
 */
public final class ConversationServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ConversationServer.class);

    /** Conducts one conversation. */
    @FunctionalInterface
    public interface Handler {

        /**
         * Conducts a conversation, which is closed afterwards. A {@link ParleyException} is sent to the guest.
         *
         * @param hello the first message of the guest
         */
        void converse(Conversation conversation, Message hello) throws InterruptedException;
    }

    private final Peer peer;
    private final String topic;
    private final Handler handler;
    private final GuestPlaces places;
    private final ThreadFactory threads;
    private final List<PipeAcceptor> acceptors;

    /** Starts a server for guests that have the ticket. Guests may connect before the constructor returns. */
    public ConversationServer(Peer peer, PipeId id, String topic, int maxGuests, Handler handler) {
        this(peer, id, topic, maxGuests, guestThreads(), handler);
    }

    ConversationServer(Peer peer, PipeId id, String topic, int maxGuests, ThreadFactory threads, Handler handler) {
        this(
                peer,
                topic,
                maxGuests,
                threads,
                handler,
                requests -> List.of(BidirectionalPipes.of(peer).accept(id, requests)));
    }

    /**
     * Starts a server for all peers of a group. Guests may connect before the constructor returns.
     *
     * @param name the name by which guests find it, besides the name of the peer; {@code null} for the latter alone
     */
    public ConversationServer(
            Peer peer, PeerGroup group, @Nullable String name, String topic, int maxGuests, Handler handler) {
        this(peer, topic, maxGuests, guestThreads(), handler, requests -> open(group, name, topic, requests));
    }

    private static List<PipeAcceptor> open(
            PeerGroup group, @Nullable String name, String topic, Consumer<PipeConnectRequest> requests) {
        BidirectionalPipes pipes = BidirectionalPipes.of(group);
        PipeAcceptor ofPeer = pipes.accept(pipeOfPeer(Pipes.of(group), topic), requests);
        return name == null ? List.of(ofPeer) : List.of(pipes.accept(name, requests), ofPeer);
    }

    /** Returns the pipe on which a guest reaches a peer by the name of the peer. It is not published. */
    static PipeId pipeOfPeer(Pipes pipes, String topic) {
        return pipes.pipeId("parley:" + topic);
    }

    private static ThreadFactory guestThreads() {
        AtomicInteger count = new AtomicInteger();
        return work -> {
            Thread thread = new Thread(work, "guest-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    private ConversationServer(
            Peer peer,
            String topic,
            int maxGuests,
            ThreadFactory threads,
            Handler handler,
            Function<Consumer<PipeConnectRequest>, List<PipeAcceptor>> opener) {
        this.peer = peer;
        this.topic = topic;
        this.handler = handler;
        this.threads = threads;
        this.places = new GuestPlaces(maxGuests);
        this.acceptors = opener.apply(this::onRequest);
    }

    /** Returns the ticket for guests. */
    public PipeTicket ticket() {
        return new PipeTicket(acceptors.get(0).id(), peer.address());
    }

    private void onRequest(PipeConnectRequest request) {
        if (!topic.equals(Conversation.topic(request.hello()))) {
            request.refuse(ErrorCode.NO_SUCH_SERVICE.exception("this ticket is for \"parley " + topic + "\""));
            return;
        }
        String reason = places.tryAcquire(request.remotePeer());
        if (reason != null) {
            request.refuse(ErrorCode.BUSY.exception(reason));
            return;
        }
        boolean started = false;
        try {
            threads.newThread(() -> serve(request)).start();
            started = true;
        } finally {
            if (!started) { // the system has no more threads; the acceptor refuses the request
                places.release(request.remotePeer());
            }
        }
    }

    private void serve(PipeConnectRequest request) {
        try (Conversation conversation = new Conversation(request.accept())) {
            serve(conversation, request.hello());
        } catch (ParleyException e) {
            log.debug("Lost peer {} before it was accepted", request.remotePeer(), e);
        } finally {
            places.release(request.remotePeer());
        }
    }

    private void serve(Conversation conversation, Message hello) {
        try {
            handler.converse(conversation, hello);
        } catch (ParleyException e) {
            log.debug("Conversation with {} failed", conversation.other(), e);
            conversation.fail(e);
        } catch (RuntimeException e) {
            log.warn("Conversation with {} failed", conversation.other(), e);
            conversation.fail(ErrorCode.SERVICE_FAILED.exception("conversation: handler failed"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops accepting guests. Running conversations continue. */
    @Override
    public void close() {
        acceptors.forEach(PipeAcceptor::close);
    }
}
