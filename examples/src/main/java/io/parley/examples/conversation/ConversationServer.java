package io.parley.examples.conversation;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.InputPipe;
import io.parley.pipes.PipeListener;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.Pipes;
import io.parley.transport.PeerAddress;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the guests that come with a ticket or know a name, each on a thread of its own and no more than a given number
 * at a time.
 */
public final class ConversationServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ConversationServer.class);

    /** Leads one conversation. */
    @FunctionalInterface
    public interface Handler {

        /**
         * Talks with a guest until there is nothing more to say; the conversation is closed afterwards. A
         * {@link ParleyException} is told to the guest.
         *
         * @param hello what the guest said first
         */
        void converse(Conversation conversation, Message hello) throws InterruptedException;
    }

    private final Peer peer;
    private final String topic;
    private final Handler handler;
    private final Semaphore free;
    private final AtomicInteger count = new AtomicInteger();
    private final List<InputPipe> doors;

    /** Opens the door to those who have the ticket; guests may come before this returns. */
    public ConversationServer(Peer peer, PipeId id, String topic, int maxGuests, Handler handler) {
        this(peer, topic, maxGuests, handler, host -> List.of(Pipes.of(peer).listen(id, host)));
    }

    /**
     * Opens the door to everybody in the group; guests may come before this returns.
     *
     * @param name by which they find it; null when they come by the name of the peer alone, which they may in any case
     */
    public ConversationServer(
            Peer peer, PeerGroup group, @Nullable String name, String topic, int maxGuests, Handler handler) {
        this(peer, topic, maxGuests, handler, host -> open(Pipes.of(group), name, topic, host));
    }

    private static List<InputPipe> open(Pipes pipes, @Nullable String name, String topic, PipeListener host) {
        InputPipe ofPeer = pipes.listen(doorOfPeer(pipes, topic), host);
        return name == null ? List.of(ofPeer) : List.of(pipes.listen(name, host), ofPeer);
    }

    /** The pipe on which a peer is to be reached that somebody knows by its own name. It is not published. */
    static PipeId doorOfPeer(Pipes pipes, String topic) {
        return pipes.pipeId("parley:" + topic);
    }

    private ConversationServer(
            Peer peer, String topic, int maxGuests, Handler handler, Function<PipeListener, List<InputPipe>> opener) {
        this.peer = peer;
        this.topic = topic;
        this.handler = handler;
        this.free = new Semaphore(maxGuests);
        this.doors = opener.apply(this::onHello);
    }

    /** What guests need to come. */
    public PipeTicket ticket() {
        PeerAddress address = peer.address();
        return new PipeTicket(doors.get(0).id(), address);
    }

    private void onHello(PipeMessage hello) {
        PipeId answerOn;
        try {
            answerOn = ConversationProtocol.pipe(hello.message());
        } catch (ParleyException e) {
            log.debug("{} came, but there is no way to answer", hello.from(), e);
            return;
        }
        if (!topic.equals(ConversationProtocol.text(hello.message(), ConversationProtocol.TOPIC))) {
            refuse(hello, answerOn, ErrorCode.NO_SUCH_SERVICE.exception("this ticket is for \"parley " + topic + "\""));
        } else if (!free.tryAcquire()) {
            refuse(hello, answerOn, ErrorCode.BUSY.exception("it talks with as many peers as it can"));
        } else {
            Conversation.answer(peer, hello.from(), answerOn).whenComplete((conversation, failure) -> {
                if (conversation == null) {
                    free.release();
                    log.debug("{} is gone before it was answered", hello.from(), failure);
                } else {
                    start(conversation, hello.message());
                }
            });
        }
    }

    private void refuse(PipeMessage hello, PipeId answerOn, ParleyException reason) {
        // Off this thread: saying why may wait for the guest.
        Conversation.answer(peer, hello.from(), answerOn)
                .thenAcceptAsync(conversation -> conversation.fail(reason), peer.callbackExecutor())
                .whenComplete(
                        (done, failure) -> log.debug("refused {}: {}", hello.from(), reason.getMessage(), failure));
    }

    private void start(Conversation conversation, Message hello) {
        Thread thread = new Thread(() -> lead(conversation, hello), "guest-" + count.incrementAndGet());
        thread.setDaemon(true);
        thread.start();
    }

    private void lead(Conversation conversation, Message hello) {
        try {
            conversation.invite();
            handler.converse(conversation, hello);
        } catch (ParleyException e) {
            log.debug("the conversation with {} failed", conversation.other(), e);
            conversation.fail(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            conversation.close();
            free.release();
        }
    }

    /** Lets nobody in any more; conversations go on. */
    @Override
    public void close() {
        doors.forEach(InputPipe::close);
    }
}
