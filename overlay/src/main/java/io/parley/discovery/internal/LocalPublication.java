package io.parley.discovery.internal;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementAttribute;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.internal.Closeables;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Publication;
import io.parley.discovery.PublishOptions;
import io.parley.error.ErrorCode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A publication of this peer. Thread-safe. {@link PublicationRegistry} renews and withdraws it. */
final class LocalPublication implements Publication {

    private final PublicationRegistry publications;
    private final Advertisement advertisement;
    private final PublishOptions options;
    private final long number;
    private final Duration closeTimeout;
    private final List<AdvertisementAttribute> attributes;
    private final CompletableFuture<Void> indexed = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile SignedAdvertisement signed;
    private long dueMillis; // guarded by the lock of publications

    LocalPublication(
            PublicationRegistry publications,
            SignedAdvertisement signed,
            PublishOptions options,
            long number,
            Duration closeTimeout) {
        this.publications = publications;
        this.advertisement = signed.advertisement();
        this.options = options;
        this.number = number;
        this.closeTimeout = closeTimeout;
        this.attributes = List.copyOf(advertisement.attributes());
        this.signed = signed;
    }

    Advertisement advertisement() {
        return advertisement;
    }

    PublishOptions options() {
        return options;
    }

    /** Returns the sequence number of the publication. */
    long number() {
        return number;
    }

    long dueMillis() {
        return dueMillis;
    }

    void renew(SignedAdvertisement renewed, long nextDueMillis) {
        signed = renewed;
        dueMillis = nextDueMillis;
    }

    /** Signs it again if more than three eighths of its expiration have passed. */
    void renewIfAged() {
        publications.renewIfAged(this);
    }

    boolean matches(DiscoveryQuery query) {
        return query.matches(advertisement.type(), attributes);
    }

    void onIndexed() {
        indexed.complete(null);
    }

    void onRejected(Throwable cause) {
        indexed.completeExceptionally(cause);
    }

    /** Ends the publication. Completes the closed future after the withdrawal, and then the returned future. */
    CompletableFuture<Void> end(CompletableFuture<?> withdrawal) {
        closing.set(true);
        indexed.completeExceptionally(ErrorCode.CLOSED.exception("publication: closed before it was indexed"));
        return withdrawal.handle((sent, failure) -> {
            closed.complete(null);
            return null;
        });
    }

    @Override
    public SignedAdvertisement signedAdvertisement() {
        return signed;
    }

    @Override
    public CompletableFuture<Void> whenIndexed() {
        return indexed.copy();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            publications.withdraw(this);
        }
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return closing.get();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, closeTimeout);
    }

    @Override
    public String toString() {
        return "Publication[" + advertisement + ']';
    }
}
