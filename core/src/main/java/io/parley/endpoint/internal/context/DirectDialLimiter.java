package io.parley.endpoint.internal.context;

import io.parley.common.Scheduler;
import io.parley.common.internal.TokenBucket;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits the rounds in which the direct addresses of relayed peers are dialed. Nothing in this peer asks for them: the remote peer causes
 * one by each relayed link, and by each address that it announces. So the delay between those of one peer doubles, and all peers
 * together have a rate. Thread-safe.
 */
public final class DirectDialLimiter {

    /** The delay between the first two rounds of a peer, and of one that had none for {@link #MAX_DELAY}. */
    public static final Duration MIN_DELAY = Duration.ofSeconds(1);

    static final Duration MAX_DELAY = Duration.ofMinutes(1);

    /** The number of rounds of all peers, after the first ones. */
    static final int ROUNDS_PER_SECOND = 4;

    private static final int MAX_PEERS = 1024;

    /** A round of a peer, and the delay until the next one. */
    private record Round(long nextNanos, Duration delay) {}

    private final Scheduler scheduler;
    private final TokenBucket ofAllPeers;
    private final Map<PeerId, Round> rounds = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<PeerId, Round> eldest) {
            return size() > MAX_PEERS;
        }
    };

    public DirectDialLimiter(Scheduler scheduler) {
        this.scheduler = scheduler;
        this.ofAllPeers = new TokenBucket(ROUNDS_PER_SECOND, scheduler.nanoTime());
    }

    /** Returns zero if a round may start now, which counts; otherwise the time until the next attempt. */
    public synchronized Duration tryStart(PeerId peer) {
        long now = scheduler.nanoTime();
        Round last = rounds.get(peer);
        if (last != null && last.nextNanos - now > 0) {
            return Duration.ofNanos(last.nextNanos - now);
        }
        Duration delay = last == null || now - last.nextNanos > MAX_DELAY.toNanos() ? MIN_DELAY : doubled(last.delay);
        rounds.remove(peer); // the new entry is the last one
        rounds.put(peer, new Round(now + delay.toNanos(), delay));
        return ofAllPeers.tryAcquire(now) ? Duration.ZERO : delay;
    }

    private static Duration doubled(Duration delay) {
        Duration twice = delay.multipliedBy(2);
        return twice.compareTo(MAX_DELAY) < 0 ? twice : MAX_DELAY;
    }
}
