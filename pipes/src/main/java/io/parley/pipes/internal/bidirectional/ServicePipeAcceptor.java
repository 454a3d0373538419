package io.parley.pipes.internal.bidirectional;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.BidirectionalPipe;
import io.parley.pipes.BidirectionalPipeListener;
import io.parley.pipes.PipeAcceptor;
import io.parley.pipes.PipeConnectRequest;
import io.parley.pipes.PipeLimits;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.internal.PeerHosts;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.PipeResolver;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An acceptor: the service that receives the requests to connect to a pipe id. Thread-safe. */
public final class ServicePipeAcceptor implements PipeAcceptor, InboundConnectRequest.Decider {

    private static final Logger log = LoggerFactory.getLogger(ServicePipeAcceptor.class);

    private final PeerGroup group;
    private final Endpoint endpoint;
    private final PipeTicket ticket;
    private final PipeOptions options;
    private final Message hello;
    private final PipeLimits limits;
    private final Consumer<PipeConnectRequest> handler;
    private final Executor executor;
    private final RateLimitedLogger faultLog;
    private final RateLimitedLogger failureLog;
    private final PipeSlots pipes;
    private final PipeSlots pending;
    private final Set<InboundConnectRequest> undecided = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final AsyncCloseable binding;
    private volatile @Nullable AsyncCloseable publication;

    /**
     * Opens an acceptor. Requests may arrive before the constructor returns.
     *
     * @param options the codecs, the security and the flow limits of the pipes
     * @param hello   the message to each accepted peer
     */
    public ServicePipeAcceptor(
            PeerGroup group,
            PipeId id,
            PipeOptions options,
            Message hello,
            PipeLimits limits,
            Consumer<PipeConnectRequest> handler,
            Executor executor) {
        this.group = group;
        this.endpoint = group.endpoint();
        this.ticket = new PipeTicket(id, endpoint.peerAddress());
        this.options = options;
        this.hello = hello;
        this.limits = limits;
        this.handler = handler;
        this.executor = executor;
        this.faultLog = new RateLimitedLogger(log, group.scheduler());
        this.failureLog = new RateLimitedLogger(log, group.scheduler());
        this.pipes = new PipeSlots(limits.maxPipes(), limits.maxPipesPerPeer());
        this.pending = new PipeSlots(limits.maxPending(), limits.maxPendingPerPeer());
        this.binding = options.security()
                .listen(endpoint, PipeResolver.service(id), EndpointLimits.MIN_WINDOW_BYTES, this::onRequest);
        binding.whenClosed().thenRun(this::onUnbound); // also if the endpoint closes first
    }

    /** Sets the publication, which is withdrawn when the acceptor closes. */
    public void publish(AsyncCloseable published) {
        publication = published;
        if (isClosing()) {
            published.closeAsync();
        }
    }

    private void onRequest(ReceivedMessage received) {
        received.release();
        PeerId peer = received.from();
        String end;
        try {
            end = PipeProtocol.end(received.message(), PipeProtocol.CONNECT);
        } catch (ParleyException e) {
            faultLog.warn("Rejected connect request of peer {} to {}: {}", peer, this, e.getMessage());
            return;
        }
        String host = PeerHosts.of(endpoint, peer);
        InboundConnectRequest request =
                new InboundConnectRequest(peer, host, end, PipeProtocol.hello(received.message()), this);
        if (!pending.tryAcquire(peer, host)) {
            faultLog.warn("Dropped connect request of peer {} to {}: too many requests are pending", peer, this);
        } else if (!pipes.tryAcquire(peer, host)) {
            sendRefusal(
                    request,
                    ErrorCode.BUSY.exception("bidirectional pipes: limit reached (expected: <= " + limits.maxPipes()
                            + ", <= " + limits.maxPipesPerPeer() + " of one peer)"));
        } else {
            start(request);
        }
    }

    private void start(InboundConnectRequest request) {
        undecided.add(request);
        request.setTimer(group.scheduler().schedule(limits.acceptTimeout(), () -> onTimeout(request)));
        if (isClosing()) {
            refuseClosed(request);
        } else {
            dispatch(request);
        }
    }

    private void onTimeout(InboundConnectRequest request) {
        Runnable refusal = () -> request.refuse(ErrorCode.TIMEOUT.exception(
                "the request was not accepted within " + DurationFormatter.format(limits.acceptTimeout())));
        try {
            group.workExecutor().execute(refusal);
        } catch (RuntimeException | Error e) { // it is shut down or full
            refusal.run();
        }
    }

    private void dispatch(InboundConnectRequest request) {
        try {
            executor.execute(() -> handle(request));
        } catch (RuntimeException | Error e) { // it is shut down or full, or has no thread
            if (isClosing()) {
                refuseClosed(request);
            } else {
                failureLog.warn("Executor of {} does not run the handler of a request", this, e);
                request.refuse(ErrorCode.BUSY.exception("there is no thread for the handler of the request"));
            }
        }
    }

    private void handle(InboundConnectRequest request) {
        try {
            handler.accept(request);
        } catch (RuntimeException | Error e) {
            failureLog.warn("Handler of {} failed on a request of peer {}", this, request.remotePeer(), e);
            request.refuse(ErrorCode.SERVICE_FAILED.exception("the handler of the request failed"));
        }
    }

    private static void refuseClosed(InboundConnectRequest request) {
        request.refuse(ErrorCode.CLOSED.exception("the acceptor is closed"));
    }

    @Override
    public BidirectionalPipe accept(InboundConnectRequest request, @Nullable BidirectionalPipeListener listener) {
        undecided.remove(request);
        MessengerBidirectionalPipe pipe;
        try {
            pipe = open(request, listener);
        } catch (RuntimeException | Error e) { // because this peer is closed, or the system has no more threads
            sendRefusal(request, ErrorCode.SERVICE_FAILED.exception("the request could not be accepted"));
            throw e;
        }
        pending.release(request.remotePeer(), request.host());
        return pipe;
    }

    private MessengerBidirectionalPipe open(
            InboundConnectRequest request, @Nullable BidirectionalPipeListener listener) {
        PeerId peer = request.remotePeer();
        MessengerBidirectionalPipe pipe;
        try {
            pipe = new MessengerBidirectionalPipe(group, peer, options, listener, null);
        } catch (RuntimeException | Error e) {
            pipes.release(peer, request.host());
            throw e;
        }
        pipe.whenClosed().thenRun(() -> pipes.release(peer, request.host()));
        try {
            pipe.connectTo(request.end(), request.hello());
            pipe.open(PipeProtocol.opening(PipeProtocol.ACCEPT, pipe.end(), hello));
            pipe.requireChannelWithin(limits.acceptTimeout());
        } catch (RuntimeException | Error e) {
            pipe.abort();
            throw e;
        }
        return pipe;
    }

    @Override
    public void refuse(InboundConnectRequest request, ParleyException reason) {
        undecided.remove(request);
        pipes.release(request.remotePeer(), request.host());
        sendRefusal(request, reason);
    }

    /** Sends a refusal, which is pending until it is delivered or has failed. */
    private void sendRefusal(InboundConnectRequest request, ParleyException reason) {
        Messenger messenger;
        try {
            messenger = options.security()
                    .newMessenger(endpoint, request.remotePeer(), PipeProtocol.endService(request.end()));
        } catch (ParleyException e) { // this peer is closed
            pending.release(request.remotePeer(), request.host());
            return;
        }
        messenger.send(PipeProtocol.ending(reason)).whenComplete((sent, failure) -> {
            messenger.closeAsync();
            pending.release(request.remotePeer(), request.host());
        });
    }

    @Override
    public PipeId id() {
        return ticket.pipe();
    }

    @Override
    public PipeTicket ticket() {
        return ticket;
    }

    private void onUnbound() {
        undecided.forEach(ServicePipeAcceptor::refuseClosed);
        AsyncCloseable published = publication;
        if (published == null) {
            closed.complete(null);
        } else {
            published.closeAsync().whenComplete((withdrawn, failure) -> closed.complete(null));
        }
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        binding.closeAsync();
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return binding.isClosing();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, endpoint.limits().closeTimeout());
    }

    @Override
    public String toString() {
        return "PipeAcceptor " + id();
    }
}
