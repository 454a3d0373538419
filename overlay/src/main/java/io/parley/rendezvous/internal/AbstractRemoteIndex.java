package io.parley.rendezvous.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Registration;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.internal.IndexPage;
import io.parley.discovery.internal.RemoteIndex;
import io.parley.id.GroupId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The base of the indexes: checks arguments and notifies those that wait for an index. Thread-safe. */
abstract class AbstractRemoteIndex implements RemoteIndex {

    private static final Logger log = LoggerFactory.getLogger(AbstractRemoteIndex.class);

    private final List<Runnable> availabilityTasks = new CopyOnWriteArrayList<>();

    /** Publishes advertisements, all of which are of the group. */
    abstract CompletableFuture<Void> doPublish(GroupId group, List<SignedAdvertisement> advertisements);

    /** Returns the page that is requested. */
    abstract CompletableFuture<IndexPage> doFind(IndexSearchRequest request);

    @Override
    public final CompletableFuture<Void> publish(GroupId group, List<SignedAdvertisement> advertisements) {
        for (SignedAdvertisement advertisement : advertisements) {
            if (!advertisement.group().equals(group)) {
                throw new IllegalArgumentException(
                        "advertisement: of group " + advertisement.group() + " (expected: " + group + ")");
            }
        }
        return doPublish(group, advertisements);
    }

    @Override
    public final CompletableFuture<IndexPage> find(
            GroupId group, DiscoveryQuery query, int offset, int limit, Duration timeout) {
        if (offset < 0 || limit < 1) {
            throw new IllegalArgumentException("offset: " + offset + ", limit: " + limit + " (expected: >= 0, >= 1)");
        }
        return doFind(new IndexSearchRequest(group, query, offset, limit, false, timeout));
    }

    /** Converts a response, which begins at {@code offset}. */
    static IndexPage page(IndexSearchResponse response, int offset, int hops) {
        List<byte[]> documents = new ArrayList<>(response.documents());
        documents.addAll(response.peers());
        int next = offset + response.documents().size();
        boolean more = response.more() && next > offset;
        return new IndexPage(documents, more ? OptionalInt.of(next) : OptionalInt.empty(), hops);
    }

    @Override
    public final AsyncCloseable onAvailable(Runnable task) {
        Runnable guarded = () -> run(task); // a new object, so the same task may be registered twice
        availabilityTasks.add(guarded);
        if (isAvailable()) {
            guarded.run();
        }
        return new Registration(() -> availabilityTasks.remove(guarded));
    }

    /** Runs the registered tasks, because the index is available now or another rendezvous serves it. */
    final void fireAvailable() {
        availabilityTasks.forEach(Runnable::run);
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            log.warn("Index availability callback failed", e);
        }
    }
}
