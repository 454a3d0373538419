package io.parley.pipes.internal.unicast;

import io.parley.advertisement.PipeAdvertisement;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.ReceivedMessage;
import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.pipes.InputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.RequestHandler;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.PipeResolver;
import io.parley.pipes.internal.request.PipeRequests;
import io.parley.pipes.internal.request.UnreadMessageHandler;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Opens input pipes of each kind, and publishes them. All methods throw {@link io.parley.error.InvalidCallException}
 * {@link io.parley.error.ErrorCode#ALREADY_BOUND} if this peer has the pipe open. Holds no resources. Thread-safe.
 */
public final class InputPipeFactory {

    private final PeerGroup group;
    private final Endpoint endpoint;
    private final PipeOptions options;

    public InputPipeFactory(PeerGroup group, PipeOptions options) {
        this.group = group;
        this.endpoint = group.endpoint();
        this.options = options;
    }

    /** Opens a pipe as {@link io.parley.pipes.Pipes#open(PipeId)} does. */
    public AbstractInputPipe open(PipeId id) {
        return bind(new QueuedInputPipe(
                ticket(id),
                closeTimeout(),
                group.callbackExecutor(),
                group.scheduler(),
                this::read,
                newUnreadMessageHandler(),
                options.senders()));
    }

    /** Opens a pipe as {@link io.parley.pipes.Pipes#listen(PipeId, Consumer, Executor)} does. */
    public AbstractInputPipe listen(PipeId id, Consumer<PipeMessage> listener, Executor executor) {
        return bind(new ListenerInputPipe(
                ticket(id),
                closeTimeout(),
                listener,
                executor,
                this::read,
                newUnreadMessageHandler(),
                endpoint.metrics(),
                options.senders()));
    }

    /** Opens a pipe as {@link io.parley.pipes.Pipes#listenZeroCopy} does. */
    public AbstractInputPipe listenZeroCopy(PipeId id, Consumer<PipeMessage> listener) {
        ZeroCopyInputPipe pipe = new ZeroCopyInputPipe(
                ticket(id), closeTimeout(), listener, this::read, endpoint.metrics(), options.senders());
        pipe.bind(options.listenZeroCopy(endpoint, PipeResolver.service(pipe.id()), pipe));
        return pipe;
    }

    private AbstractInputPipe bind(AbstractInputPipe pipe) {
        pipe.bind(options.listen(endpoint, PipeResolver.service(pipe.id()), pipe));
        return pipe;
    }

    /** Opens a pipe as {@link io.parley.pipes.Pipes#serve(PipeId, RequestHandler, Executor)} does. */
    public AbstractInputPipe serve(PipeId id, RequestHandler handler, Executor executor) {
        ServiceInputPipe pipe = new ServiceInputPipe(
                ticket(id),
                closeTimeout(),
                handler,
                executor,
                ServiceInputPipe.MAX_CONCURRENT,
                this::read,
                group.scheduler(),
                PipeRequests.of(group).metrics(),
                endpoint.metrics());
        pipe.bind(options.listenOnEventLoop(endpoint, PipeResolver.service(pipe.id()), pipe));
        return pipe;
    }

    /** Publishes a pipe after it is open, so that a peer that finds it can connect. Closes it if that fails. */
    public InputPipe publish(AbstractInputPipe pipe, String name) {
        try {
            pipe.publish(group.discovery()
                    .publish(PipeAdvertisement.of(pipe.id(), options.security().unicastType(), name)));
            return pipe;
        } catch (RuntimeException e) {
            pipe.closeAsync();
            throw e;
        }
    }

    private PipeMessage read(ReceivedMessage received) {
        return PipeRequests.read(group, options.security(), received);
    }

    private UnreadMessageHandler newUnreadMessageHandler() {
        return new UnreadMessageHandler(this::read, options.encoding().keepsState(), group.workExecutor());
    }

    private Duration closeTimeout() {
        return endpoint.limits().closeTimeout();
    }

    private PipeTicket ticket(PipeId id) {
        return new PipeTicket(id, endpoint.peerAddress());
    }
}
