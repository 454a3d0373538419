package io.parley.examples.conversation;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.InputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.Pipes;
import io.parley.transport.PeerAddress;
import java.util.List;
import java.util.concurrent.Semaphore;
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
    private final int maxGuests;
    private final Semaphore free;
    private final AtomicInteger count = new AtomicInteger();
    private final List<InputPipe> pipes;

    /** Starts a server for guests that have the ticket. Guests may connect before the constructor returns. */
    public ConversationServer(Peer peer, PipeId id, String topic, int maxGuests, Handler handler) {
        this(peer, topic, maxGuests, handler, listener -> List.of(Pipes.of(peer).listen(id, listener)));
    }

    /**
     * Starts a server for all peers of a group. Guests may connect before the constructor returns.
     *
     * @param name the name by which guests find it, besides the name of the peer; {@code null} for the latter alone
     */
    public ConversationServer(
            Peer peer, PeerGroup group, @Nullable String name, String topic, int maxGuests, Handler handler) {
        this(peer, topic, maxGuests, handler, listener -> open(Pipes.of(group), name, topic, listener));
    }

    private static List<InputPipe> open(
            Pipes pipes, @Nullable String name, String topic, Consumer<PipeMessage> listener) {
        InputPipe ofPeer = pipes.listen(pipeOfPeer(pipes, topic), listener);
        return name == null ? List.of(ofPeer) : List.of(pipes.listen(name, listener), ofPeer);
    }

    /** Returns the pipe on which a guest reaches a peer by the name of the peer. It is not published. */
    static PipeId pipeOfPeer(Pipes pipes, String topic) {
        return pipes.pipeId("parley:" + topic);
    }

    private ConversationServer(
            Peer peer,
            String topic,
            int maxGuests,
            Handler handler,
            Function<Consumer<PipeMessage>, List<InputPipe>> opener) {
        this.peer = peer;
        this.topic = topic;
        this.handler = handler;
        this.maxGuests = maxGuests;
        this.free = new Semaphore(maxGuests);
        this.pipes = opener.apply(this::onHello);
    }

    /** Returns the ticket for guests. */
    public PipeTicket ticket() {
        PeerAddress address = peer.address();
        return new PipeTicket(pipes.get(0).id(), address);
    }

    private void onHello(PipeMessage hello) {
        PipeId guestPipe;
        try {
            guestPipe = ConversationProtocol.pipe(hello.message());
        } catch (ParleyException e) {
            log.debug("Rejected guest {}: its first message has no pipe to respond to", hello.from(), e);
            return;
        }
        try {
            ConversationProtocol.requireVersion(hello.message());
        } catch (ParleyException e) {
            log.warn("Rejected guest {}: {}", hello.from(), e.getMessage());
            refuse(hello, guestPipe, e);
            return;
        }
        if (!topic.equals(ConversationProtocol.text(hello.message(), ConversationProtocol.TOPIC))) {
            refuse(
                    hello,
                    guestPipe,
                    ErrorCode.NO_SUCH_SERVICE.exception("this ticket is for \"parley " + topic + "\""));
        } else if (!free.tryAcquire()) {
            refuse(
                    hello,
                    guestPipe,
                    ErrorCode.BUSY.exception("conversations: limit reached (expected: <= " + maxGuests + ")"));
        } else {
            Conversation.connectToGuest(peer, hello.from(), guestPipe).whenComplete((conversation, failure) -> {
                if (conversation == null) {
                    free.release();
                    log.debug("Lost guest {} before the response", hello.from(), failure);
                } else {
                    start(conversation, hello.message());
                }
            });
        }
    }

    private void refuse(PipeMessage hello, PipeId guestPipe, ParleyException reason) {
        // On another thread, because sending the reason may wait for the guest.
        Conversation.connectToGuest(peer, hello.from(), guestPipe)
                .thenAcceptAsync(conversation -> conversation.fail(reason), peer.callbackExecutor())
                .whenComplete((done, failure) ->
                        log.debug("Refused guest {}: {}", hello.from(), reason.getMessage(), failure));
    }

    private void start(Conversation conversation, Message hello) {
        Thread thread = new Thread(() -> serve(conversation, hello), "guest-" + count.incrementAndGet());
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(Conversation conversation, Message hello) {
        try {
            conversation.accept();
            handler.converse(conversation, hello);
        } catch (ParleyException e) {
            log.debug("Conversation with {} failed", conversation.other(), e);
            conversation.fail(e);
        } catch (RuntimeException e) {
            log.warn("Conversation with {} failed", conversation.other(), e);
            conversation.fail(ErrorCode.SERVICE_FAILED.exception("conversation: handler failed"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            conversation.close();
            free.release();
        }
    }

    /** Stops accepting guests. Running conversations continue. */
    @Override
    public void close() {
        pipes.forEach(InputPipe::close);
    }
}
