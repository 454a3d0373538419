package io.parley.pipes;

import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.common.internal.Arguments;
import io.parley.endpoint.Messenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.internal.BlockingCalls;
import io.parley.pipes.internal.PipeFlow;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.PipeResolver;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.pipes.internal.bidirectional.PipeConnectAttempt;
import io.parley.pipes.internal.bidirectional.PipeProtocol;
import io.parley.pipes.internal.bidirectional.ServicePipeAcceptor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Accepts and connects bidirectional pipes in a group. Instances hold no resources. Thread-safe.
 *
 * <pre>{@code
 * PipeAcceptor acceptor = BidirectionalPipes.of(group).accept("oracle", request -> converse(request.accept()));
 *
 * BidirectionalPipe pipe = BidirectionalPipes.of(group).connect("oracle", Duration.ofSeconds(5));
 * pipe.send(Message.of("text", "Will it rain?"));
 * pipe.closeOutput();
 * Optional<Message> response = pipe.receive(Duration.ofSeconds(5));
 * }</pre>
 *
 * <p>The accepting peer uses the connection that the connecting peer has opened, so the latter needs no address. An acceptor that is
 * opened by its name is published in the group, as an input pipe of {@link Pipes#listen(String, Consumer)} is. It takes the place
 * of an input pipe: a peer has one of both for an id. Delivery is always reliable.
 */
public final class BidirectionalPipes {

    private final PeerGroup group;
    private final PipeOptions options;

    /** Gets what arrives at the connected pipe; {@code null} for a queue. */
    private final @Nullable BidirectionalPipeListener listener;

    private final Message hello;
    private final PipeLimits limits;

    private BidirectionalPipes(
            PeerGroup group,
            PipeOptions options,
            @Nullable BidirectionalPipeListener listener,
            Message hello,
            PipeLimits limits) {
        this.group = group;
        this.options = options;
        this.listener = listener;
        this.hello = hello;
        this.limits = limits;
    }

    /** Returns the bidirectional pipes of a group. */
    public static BidirectionalPipes of(PeerGroup group) {
        return of(group, PipeOptions.DEFAULTS);
    }

    /** @param options of which only the codecs, the security and the flow limits apply */
    static BidirectionalPipes of(PeerGroup group, PipeOptions options) {
        PipeOptions used = PipeOptions.DEFAULTS
                .withCodecs(options.codecs())
                .withSecurity(options.security())
                .withFlow(options.flow());
        return new BidirectionalPipes(group, used, null, Message.EMPTY, PipeLimits.DEFAULTS);
    }

    /** Returns the bidirectional pipes of the net group, which every peer joins. */
    public static BidirectionalPipes of(Peer peer) {
        return of(peer.netGroup());
    }

    /** Returns the same pipes with other message codecs for the messages of this peer. See {@link Pipes#withCodecs}. */
    public BidirectionalPipes withCodecs(String... names) {
        return new BidirectionalPipes(group, options.withCodecs(List.of(names)), listener, hello, limits);
    }

    /**
     * Returns the same pipes, which are secure in both directions. See {@link Pipes#secure}. A secure acceptor and a connecting peer that is
     * not secure do not connect, nor the other way around: {@link ErrorCode#SECURITY_MISMATCH}.
     */
    public BidirectionalPipes secure() {
        return new BidirectionalPipes(group, options.withSecurity(PipeSecurity.SECURE), listener, hello, limits);
    }

    /**
     * Returns the same pipes with a message that is sent with the request or when one is accepted, see
     * {@link PipeConnectRequest#hello()} and {@link BidirectionalPipe#hello()}. For a version, a purpose or the like.
     *
     * @throws IllegalArgumentException if the message has more than 4 KiB or 16 elements, or one with the namespace
     *     {@code parley.pipe}
     */
    public BidirectionalPipes withHello(Message message) {
        PipeProtocol.checkHello(message);
        return new BidirectionalPipes(group, options, listener, message, limits);
    }

    /** Returns the same pipes with other limits for acceptors. */
    public BidirectionalPipes withLimits(PipeLimits value) {
        return new BidirectionalPipes(group, options, listener, hello, value);
    }

    /**
     * Returns the same pipes for one connect: what arrives goes to the listener, without a queue, and {@link BidirectionalPipe#receive}
     * must not be called. An acceptor gets its listeners from {@link PipeConnectRequest#accept(BidirectionalPipeListener)}.
     */
    public BidirectionalPipes withListener(BidirectionalPipeListener value) {
        return new BidirectionalPipes(group, options, value, hello, limits);
    }

    /** Opens the acceptor of that name, whose handler runs on the callback executor. See {@link #accept(PipeId, Consumer, Executor)}. */
    public PipeAcceptor accept(String name, Consumer<PipeConnectRequest> handler) {
        return accept(name, handler, group.callbackExecutor());
    }

    /**
     * Opens the acceptor of that name. Publishes it until it is closed. See {@link #accept(PipeId, Consumer, Executor)}.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer has the acceptor or the input pipe of that id
     *     open; {@link ErrorCode#NO_COMMON_CODEC} if it lacks one of the codecs
     */
    public PipeAcceptor accept(String name, Consumer<PipeConnectRequest> handler, Executor executor) {
        ServicePipeAcceptor acceptor = open(pipeId(name), handler, executor);
        try {
            acceptor.publish(group.discovery()
                    .publish(PipeAdvertisement.of(
                            acceptor.id(), options.security().unicastType(), name)));
            return acceptor;
        } catch (RuntimeException e) {
            acceptor.closeAsync();
            throw e;
        }
    }

    /** Opens an acceptor, whose handler runs on the callback executor. See {@link #accept(PipeId, Consumer, Executor)}. */
    public PipeAcceptor accept(PipeId id, Consumer<PipeConnectRequest> handler) {
        return accept(id, handler, group.callbackExecutor());
    }

    /**
     * Opens an acceptor. Does not publish it: a peer needs its ticket. Requests beyond the {@linkplain #withLimits limits} are refused.
     *
     * @param handler  called with each request, which it must accept or refuse, also later and on another thread. Several calls may run
     *     at the same time. If it throws before a decision, the request is refused
     * @param executor runs the handler. With a direct executor it runs on event loops and must not block. A request that it does not run is
     *     refused with {@link ErrorCode#BUSY}
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer has the acceptor or the input pipe of that id
     *     open; {@link ErrorCode#NO_COMMON_CODEC} if it lacks one of the codecs
     */
    public PipeAcceptor accept(PipeId id, Consumer<PipeConnectRequest> handler, Executor executor) {
        return open(id, handler, executor);
    }

    private ServicePipeAcceptor open(PipeId id, Consumer<PipeConnectRequest> handler, Executor executor) {
        options.requireCodecs(group.endpoint());
        return new ServicePipeAcceptor(group, id, options, hello, limits, handler, executor);
    }

    private PipeId pipeId(String name) {
        return PipeId.ofName(group.id(), name);
    }

    /**
     * Connects to the acceptor of that name at any peer, and waits until it has accepted.
     *
     * @throws ParleyException as {@link #connectAsync(String, Duration)} fails
     * @throws InterruptedException if the thread is interrupted
     */
    public BidirectionalPipe connect(String name, Duration timeout) throws InterruptedException {
        return BlockingCalls.await(connectAsync(name, timeout), "connect to pipe " + name);
    }

    /**
     * Connects to an acceptor at any peer that has published it, and waits until it has accepted.
     *
     * @throws ParleyException as {@link #connectAsync(String, Duration)} fails
     * @throws InterruptedException if the thread is interrupted
     */
    public BidirectionalPipe connect(PipeId id, Duration timeout) throws InterruptedException {
        return BlockingCalls.await(connectAsync(id, timeout), "connect to pipe " + id);
    }

    /**
     * Connects to an acceptor by its ticket, and waits until it has accepted.
     *
     * @throws ParleyException as {@link #connectAsync(PeerId, PipeId, Duration)} fails
     * @throws InterruptedException if the thread is interrupted
     */
    public BidirectionalPipe connect(PipeTicket ticket, Duration timeout) throws InterruptedException {
        return BlockingCalls.await(connectAsync(ticket, timeout), "connect to pipe " + ticket.pipe());
    }

    /**
     * Connects to the acceptor of a peer whose address is known, and waits until it has accepted.
     *
     * @throws ParleyException as {@link #connectAsync(PeerId, PipeId, Duration)} fails
     * @throws InterruptedException if the thread is interrupted
     */
    public BidirectionalPipe connect(PeerId peer, PipeId id, Duration timeout) throws InterruptedException {
        return BlockingCalls.await(connectAsync(peer, id, timeout), "connect to pipe " + id);
    }

    /**
     * Connects to the published acceptor of that name at any peer: the first that responds, of all peers that have published it.
     *
     * @param timeout above zero, for the search and the decision of the acceptor together
     * @return a future that fails with {@link ErrorCode#UNREACHABLE} if no acceptor was found,
     *     {@link ErrorCode#SECURITY_MISMATCH} if those that were found are secure and these pipes are not, or the other way around, or
     *     {@link ErrorCode#TIMEOUT} if it has not accepted within the timeout; and with the reason if it has refused. Cancelling it ends the
     *     attempt
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#NO_COMMON_CODEC} if this peer lacks one of the codecs
     */
    public CompletableFuture<BidirectionalPipe> connectAsync(String name, Duration timeout) {
        return search(pipeId(name), name, timeout);
    }

    /** Connects to a published acceptor at any peer. See {@link #connectAsync(String, Duration)}. */
    public CompletableFuture<BidirectionalPipe> connectAsync(PipeId id, Duration timeout) {
        return search(id, null, timeout);
    }

    private CompletableFuture<BidirectionalPipe> search(PipeId id, @Nullable String name, Duration timeout) {
        PipeResolver.Target target =
                // whose codecs and limits the requests do not use
                new PipeResolver.Target(id, name, options.withCodecs(List.of()).withFlow(PipeFlow.DEFAULT));
        PipeConnectAttempt attempt = newAttempt(target.toString(), timeout);
        CompletableFuture<Messenger> search = new PipeResolver(group, target, timeout).start();
        search.whenComplete((found, failure) -> {
            if (found == null) {
                attempt.fail(failure);
            } else {
                attempt.start(found, hello);
            }
        });
        attempt.result().whenComplete((pipe, failure) -> search.cancel(false));
        return attempt.result();
    }

    /** Connects to an acceptor by its ticket. See {@link #connectAsync(PeerId, PipeId, Duration)}. */
    public CompletableFuture<BidirectionalPipe> connectAsync(PipeTicket ticket, Duration timeout) {
        group.endpoint().addPeerAddress(ticket.holder());
        return connectAsync(ticket.holder().peer(), ticket.pipe(), timeout);
    }

    /**
     * Connects to the acceptor of a peer whose address is known.
     *
     * @param timeout above zero
     * @return a future that fails with {@link ErrorCode#NO_SUCH_SERVICE} if the peer has no such acceptor,
     *     {@link ErrorCode#UNREACHABLE} if the peer is unreachable, {@link ErrorCode#SECURITY_MISMATCH} if the acceptor is secure and these
     *     pipes are not, or the other way around, {@link ErrorCode#TIMEOUT} if it has not accepted within the timeout or has an input pipe
     *     instead, and with the reason if it has refused. Cancelling it ends the attempt
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#NO_COMMON_CODEC} if this peer lacks one of the codecs
     */
    public CompletableFuture<BidirectionalPipe> connectAsync(PeerId peer, PipeId id, Duration timeout) {
        PipeConnectAttempt attempt = newAttempt("pipe " + id + " of peer " + peer.shortText(), timeout);
        attempt.start(options.security().newMessenger(group.endpoint(), peer, PipeResolver.service(id)), hello);
        return attempt.result();
    }

    private PipeConnectAttempt newAttempt(String target, Duration timeout) {
        Arguments.requireTimeout("timeout", timeout);
        options.requireCodecs(group.endpoint());
        return new PipeConnectAttempt(group, options, listener, target, timeout);
    }
}
