package io.parley.pipes;

import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Opens the two ends of pipes in a group. Costs nothing to make; may be used from any thread.
 *
 * <pre>{@code
 * InputPipe in = Pipes.of(group).listen("forecast", message -> reply(message));
 * OutputPipe out = Pipes.of(group).connect("forecast", Duration.ofSeconds(5));
 * out.send(Message.of("text", "Will it rain?"));
 * }</pre>
 *
 * <p>A pipe that is opened by its name is published in the group, so that members find its holder; one that is opened by its
 * id alone is known to those who were told.
 */
public final class Pipes {

    /** A search ends by itself when its time is up; nobody is to give it up before. */
    private static final Duration MARGIN = Duration.ofSeconds(10);

    private static final String SERVICE = "pipe";

    private final PeerGroup group;
    private final List<String> codecs;

    private Pipes(PeerGroup group, List<String> codecs) {
        this.group = group;
        this.codecs = codecs;
    }

    /** The pipes of a group. */
    public static Pipes of(PeerGroup group) {
        return new Pipes(group, List.of());
    }

    /** The pipes of the net group, which every peer is in. */
    public static Pipes of(Peer peer) {
        return of(peer.netGroup());
    }

    /**
     * The same pipes, whose output ends write in the first of these message codecs that the holder of the input end has
     * too, instead of the one on which both peers have agreed for everything.
     *
     * @param names in order of preference; none: as agreed. Connecting fails with {@link ErrorCode#NO_COMMON_CODEC} when
     *     this peer lacks one of them, or a holder that is given lacks all; where a holder is looked for, one that lacks all
     *     is none
     */
    public Pipes withCodecs(String... names) {
        return new Pipes(group, List.of(names));
    }

    /** The id of the pipe of that name in the group: the same name gives the same id everywhere. */
    public PipeId pipeId(String name) {
        return PipeId.ofName(group.id(), name);
    }

    /**
     * Opens the input end of the pipe of that name, to be read with {@link InputPipe#receive}, and publishes it until it
     * is closed.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} when this peer has it open already
     */
    public InputPipe open(String name) {
        return published(receiving(pipeId(name)), name);
    }

    /**
     * Opens a pipe's input end, to be read with {@link InputPipe#receive}. It is not published.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} when this peer has it open already
     */
    public InputPipe open(PipeId id) {
        return receiving(id);
    }

    private AbstractInputPipe receiving(PipeId id) {
        QueuedInputPipe pipe = new QueuedInputPipe(ticket(id));
        pipe.bind(endpoint().listen(service(id), pipe));
        return pipe;
    }

    /**
     * Opens the input end of the pipe of that name, whose messages go to the listener, on the group's callback executor,
     * and publishes it until it is closed.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} when this peer has it open already
     */
    public InputPipe listen(String name, PipeListener listener) {
        return published(listening(pipeId(name), listener, group.callbackExecutor()), name);
    }

    /** Opens a pipe's input end, whose messages go to the listener, on the group's callback executor. */
    public InputPipe listen(PipeId id, PipeListener listener) {
        return listen(id, listener, group.callbackExecutor());
    }

    /**
     * Opens a pipe's input end, whose messages go to the listener. It is not published.
     *
     * @param executor runs the listener. With a direct one ({@code Runnable::run}) the listener runs on the thread that
     *     serves the sender's connection, which is fastest; it then must not block, and messages of different senders may
     *     come at the same time
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} when this peer has it open already
     */
    public InputPipe listen(PipeId id, PipeListener listener, Executor executor) {
        return listening(id, listener, executor);
    }

    private AbstractInputPipe listening(PipeId id, PipeListener listener, Executor executor) {
        ListenerInputPipe pipe =
                new ListenerInputPipe(ticket(id), listener, executor, endpoint().metrics());
        pipe.bind(endpoint().listen(service(id), pipe));
        return pipe;
    }

    /**
     * Opens a pipe's input end, whose messages are lent to the listener: the fastest way for one that is done with a
     * message when it returns, having written it to a file or a socket, say. As far as the message's codec allows (the
     * binary one does), its contents are not copied out of the memory into which the network has read them.
     *
     * <pre>{@code
     * Pipes.of(peer).listenBorrowing(id, received -> {
     *     for (ByteBuffer part : received.message().elements().get(0).payload().asByteBuffers()) {
     *         digest.update(part);
     *     }
     * });
     * }</pre>
     *
     * <p>What the message consists of is there until the listener returns or throws; see
     * {@link io.parley.message.Payload} for what becomes of it then. What is needed longer has to be copied, as by
     * {@link io.parley.message.MessageElement#toByteArray}, {@code text} or {@code bytes}; that goes for a message that is
     * to be sent on, too.
     *
     * <p>The listener runs on the thread that serves the sender's connection and must not block, as while it runs nothing
     * else is done for that connection. Messages of one sender come one at a time, those of different senders may come at
     * the same time.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} when this peer has it open already
     */
    public InputPipe listenZeroCopy(PipeId id, PipeListener listener) {
        ZeroCopyInputPipe pipe =
                new ZeroCopyInputPipe(ticket(id), listener, endpoint().metrics());
        pipe.bind(endpoint().listenZeroCopy(service(id), pipe));
        return pipe;
    }

    /** Only an open pipe is published, so that whoever finds it can connect. */
    private InputPipe published(AbstractInputPipe pipe, String name) {
        try {
            pipe.published(group.discovery().publish(PipeAdvertisement.of(pipe.id(), PipeType.UNICAST, name)));
            return pipe;
        } catch (RuntimeException e) {
            pipe.closeAsync();
            throw e;
        }
    }

    /**
     * Connects to the pipe of that name, whoever holds it, and waits until a holder has answered. When that one is lost
     * later, the pipe looks for a holder again.
     *
     * @throws ParleyException the reasons of {@link #connectAsync(PipeId, Duration)}
     */
    public OutputPipe connect(String name, Duration timeout) {
        return connect(pipeId(name), timeout);
    }

    /**
     * Connects to a pipe, whoever holds it, and waits until a holder has answered.
     *
     * @throws ParleyException the reasons of {@link #connectAsync(PipeId, Duration)}
     */
    public OutputPipe connect(PipeId id, Duration timeout) {
        return await(connectAsync(id, timeout), "pipe " + id + ": no holder", timeout.plus(MARGIN));
    }

    /**
     * Connects to a published pipe, whoever holds it: of those who have published it in the group the first that answers.
     * Waits for one to come, until the time is up.
     *
     * @param timeout above zero
     * @return fails with {@link ErrorCode#UNREACHABLE} when no holder has answered in time that has one of the codecs of
     *     {@link #withCodecs}, {@link ErrorCode#CLOSED}
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#NO_COMMON_CODEC} when this peer lacks one of them
     */
    public CompletableFuture<OutputPipe> connectAsync(PipeId id, Duration timeout) {
        requireCodecs();
        return FailoverOutputPipe.open(group, id, codecs, timeout);
    }

    /** Connects to the pipe of that name held by a peer whose address is given. Waits; see {@link #connectAsync}. */
    public OutputPipe connect(PeerAddress holder, String name, Duration timeout) {
        return connect(new PipeTicket(pipeId(name), holder), timeout);
    }

    /**
     * Connects to a pipe by its ticket and waits until its holder has answered.
     *
     * @throws ParleyException the reasons of {@link #connectAsync}, or {@link ErrorCode#TIMEOUT}
     */
    public OutputPipe connect(PipeTicket ticket, Duration timeout) {
        endpoint().addPeerAddress(ticket.holder());
        return connect(ticket.holder().peer(), ticket.pipe(), timeout);
    }

    /** Connects to a pipe held by a peer whose address is known, and waits until it has answered. */
    public OutputPipe connect(PeerId holder, PipeId id, Duration timeout) {
        return await(connectAsync(holder, id), "pipe " + id + ": peer " + holder, timeout);
    }

    private static OutputPipe await(CompletableFuture<OutputPipe> connecting, String whom, Duration timeout) {
        try {
            return connecting.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS).join();
        } catch (CompletionException e) {
            if (Throwables.unwrap(e) instanceof java.util.concurrent.TimeoutException) {
                throw ErrorCode.TIMEOUT.exception(whom + " did not answer within " + timeout);
            }
            throw ParleyException.unchecked(e);
        }
    }

    /**
     * Connects to a pipe held by a peer whose address is known.
     *
     * @return fails with {@link ErrorCode#NO_SUCH_SERVICE} when the peer does not hold the pipe,
     *     {@link ErrorCode#UNREACHABLE} when it can't be reached, {@link ErrorCode#NO_COMMON_CODEC} when it lacks the
     *     codecs of {@link #withCodecs}
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#NO_COMMON_CODEC} when this peer lacks one of them
     */
    public CompletableFuture<OutputPipe> connectAsync(PeerId holder, PipeId id) {
        Messenger messenger = endpoint().messenger(holder, service(id), codecs);
        CompletableFuture<OutputPipe> connected =
                messenger.resolve().thenApply(resolved -> new DirectOutputPipe(id, messenger));
        connected.whenComplete((pipe, failure) -> {
            if (failure != null) {
                messenger.closeAsync();
            }
        });
        return connected;
    }

    private void requireCodecs() {
        List<String> own = endpoint().codecs();
        List<String> lacking =
                codecs.stream().filter(name -> !own.contains(name)).toList();
        if (!lacking.isEmpty()) {
            throw ErrorCode.NO_COMMON_CODEC.exception("codecs: " + lacking + " (this peer has " + own + ")");
        }
    }

    private Endpoint endpoint() {
        return group.endpoint();
    }

    private PipeTicket ticket(PipeId id) {
        return new PipeTicket(id, endpoint().peerAddress());
    }

    static ServiceAddress service(PipeId id) {
        return new ServiceAddress(SERVICE, id.text());
    }
}
