package io.parley.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.parley.Peer;

/**
 * Binds the counters of a peer to a registry of Micrometer, one function counter for each name of {@link Peer#metrics()}. Each
 * meter has the tag {@value #PEER_TAG} with the peer id. Public because applications create it:
 *
 * <pre>{@code
 * new ParleyMetrics(peer).bindTo(registry);
 * }</pre>
 *
 * <p>The registry refers to the peer weakly: the meters of a peer that was collected remain at their last value. Thread-safe.
 */
public final class ParleyMetrics implements MeterBinder {

    /** The key of the tag that names the peer. */
    public static final String PEER_TAG = "peer";

    private final Peer peer;
    private final Tags tags;

    /** Binds the counters of {@code peer}. */
    public ParleyMetrics(Peer peer) {
        this(peer, Tags.empty());
    }

    /**
     * Binds the counters of {@code peer}.
     *
     * @param tags further tags of each meter
     */
    public ParleyMetrics(Peer peer, Iterable<Tag> tags) {
        this.peer = peer;
        this.tags = Tags.of(PEER_TAG, peer.id().text()).and(tags);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (String name : peer.metrics().keySet()) {
            FunctionCounter.Builder<Peer> meter = FunctionCounter.builder(
                    name, peer, counted -> counted.metrics().getOrDefault(name, 0L));
            if (name.contains(".bytes.")) {
                meter.baseUnit("bytes");
            }
            meter.tags(tags).register(registry);
        }
    }
}
