package io.parley.pipes.internal.work;

import io.parley.advertisement.PipeAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Arguments;
import io.parley.common.internal.Closeables;
import io.parley.endpoint.Endpoint;
import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.TaskHandler;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.PipeResolver;
import io.parley.pipes.internal.request.PipeRequests;
import io.parley.pipes.internal.unicast.ServiceInputPipe;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A worker of a work queue: the pipe of a service whose responses confirm the tasks. Thread-safe. */
public final class QueueWorker implements AsyncCloseable {

    private final ServiceInputPipe pipe;
    private final Duration closeTimeout;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private QueueWorker(ServiceInputPipe pipe, Duration closeTimeout) {
        this.pipe = pipe;
        this.closeTimeout = closeTimeout;
        pipe.whenClosed().thenCompose(done -> pipe.whenIdle()).thenRun(() -> closed.complete(null));
    }

    /** Opens a worker. Throws as {@link io.parley.pipes.WorkQueue#work(TaskHandler, Executor, int)}. */
    public static QueueWorker open(
            PeerGroup group,
            PipeOptions options,
            PipeId id,
            String name,
            TaskHandler handler,
            Executor executor,
            int concurrency) {
        Arguments.requireRange("concurrency", concurrency, 1, ServiceInputPipe.MAX_CONCURRENT);
        Message confirmation = TaskConfirmation.of(concurrency);
        Endpoint endpoint = group.endpoint();
        Duration closeTimeout = endpoint.limits().closeTimeout();
        ServiceInputPipe pipe = new ServiceInputPipe(
                new PipeTicket(id, endpoint.peerAddress()),
                closeTimeout,
                task -> {
                    handler.handle(task);
                    return confirmation;
                },
                executor,
                concurrency,
                received -> PipeRequests.read(group, options.security(), received),
                group.scheduler(),
                PipeRequests.of(group).metrics(),
                endpoint.metrics());
        pipe.bind(options.listenOnEventLoop(endpoint, PipeResolver.service(pipe.id()), pipe));
        try {
            pipe.publish(group.discovery()
                    .publish(PipeAdvertisement.of(id, options.security().unicastType(), name)));
        } catch (RuntimeException e) {
            pipe.closeAsync();
            throw e;
        }
        return new QueueWorker(pipe, closeTimeout);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        pipe.closeAsync();
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return pipe.isClosing();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, closeTimeout);
    }

    @Override
    public String toString() {
        return "worker of " + pipe;
    }
}
