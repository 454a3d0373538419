package io.parley.pipes.internal.unicast;

import io.parley.advertisement.ModuleSpecAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.discovery.Publication;
import io.parley.group.PeerGroup;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The publications of a service: its pipe and its specification, which are withdrawn together. Thread-safe. */
public final class ServicePublication implements AsyncCloseable {

    private final Publication pipe;
    private final Publication spec;
    private final Duration closeTimeout;

    private ServicePublication(Publication pipe, Publication spec, Duration closeTimeout) {
        this.pipe = pipe;
        this.spec = spec;
        this.closeTimeout = closeTimeout;
    }

    /**
     * Publishes both.
     *
     * @throws RuntimeException as {@link io.parley.discovery.Discovery#publish}; neither is published then
     */
    public static ServicePublication publish(PeerGroup group, PipeAdvertisement pipe, ModuleSpecAdvertisement spec) {
        Publication first = group.discovery().publish(pipe);
        try {
            return new ServicePublication(
                    first,
                    group.discovery().publish(spec),
                    group.endpoint().limits().closeTimeout());
        } catch (RuntimeException e) {
            first.closeAsync();
            throw e;
        }
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return CompletableFuture.allOf(spec.closeAsync(), pipe.closeAsync());
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return CompletableFuture.allOf(spec.whenClosed(), pipe.whenClosed());
    }

    @Override
    public boolean isClosing() {
        return spec.isClosing() && pipe.isClosing();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, closeTimeout);
    }
}
