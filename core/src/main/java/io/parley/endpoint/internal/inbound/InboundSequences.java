package io.parley.endpoint.internal.inbound;

import io.parley.endpoint.internal.frame.ChannelProtection;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The inbound sequences of one run of a remote peer. They outlive the links, so that the peer can resume its channels on the
 * next link. Those of an earlier run are dropped. The listeners of dropped channels are notified, by the holder of the sequence or, if
 * there is none, by the thread that drops it. Thread-safe.
 */
public final class InboundSequences {

    /** Sequences without a holder beyond this number are dropped, the oldest first. */
    private final int maxDetached;

    private final Map<Long, InboundSequence> byChannel = new LinkedHashMap<>();
    private long instance;

    public InboundSequences(int maxDetached) {
        this.maxDetached = maxDetached;
    }

    /** Returns the sequence of a channel, or null if this endpoint does not know it. */
    public synchronized @Nullable InboundSequence find(long remoteInstance, long channel) {
        return isPresent(remoteInstance) ? byChannel.get(channel) : null;
    }

    /**
     * Drops the sequences of other runs, because this run of the remote peer has connected. Returns those that the caller must report.
     */
    public synchronized List<InboundSequence> startInstance(long remoteInstance) {
        if (remoteInstance == instance) {
            return List.of();
        }
        instance = remoteInstance;
        return removeIf(sequence -> true, Integer.MAX_VALUE);
    }

    /** Returns whether no other run of the remote peer has connected since. */
    public synchronized boolean isPresent(long remoteInstance) {
        return remoteInstance == instance;
    }

    /** Returns a new sequence, or null if there is one of that channel, or if another run of the remote peer has connected since. */
    public synchronized @Nullable InboundSequence tryCreate(
            long remoteInstance, long channel, long base, ChannelProtection protection) {
        InboundSequence created = new InboundSequence(channel, base, protection);
        return isPresent(remoteInstance) && byChannel.putIfAbsent(channel, created) == null ? created : null;
    }

    /**
     * Removes the sequence of a channel that the remote peer has ended, or that this peer has refused. Notifies no listener. Returns
     * whether the caller must report that to the listener, because no channel holds the sequence, see {@link InboundSequence#drop}.
     */
    public synchronized boolean remove(InboundSequence ended) {
        byChannel.remove(ended.channel(), ended);
        boolean unreported = ended.drop();
        ended.end();
        return unreported;
    }

    /** Drops the oldest sequences without a holder beyond the maximum. Returns whether any sequence is left. */
    boolean trim() {
        List<InboundSequence> lost;
        boolean left;
        synchronized (this) {
            long detached = byChannel.values().stream()
                    .filter(InboundSequences::isDetached)
                    .count();
            lost = removeIf(InboundSequences::isDetached, Math.max(0, detached - maxDetached));
            left = !byChannel.isEmpty();
        }
        lost.forEach(InboundSequence::reportLost);
        return left;
    }

    /** Drops the sequences without a holder. */
    public void removeDetached() {
        takeDetached().forEach(InboundSequence::reportLost);
    }

    /** Drops the sequences without a holder. Returns those that the caller must report. */
    synchronized List<InboundSequence> takeDetached() {
        return removeIf(InboundSequences::isDetached, Integer.MAX_VALUE);
    }

    /** Releases the state of encoding schemes of the sequences without a holder. */
    synchronized void dropDetachedState() {
        byChannel.values().stream().filter(InboundSequences::isDetached).forEach(InboundSequence::dropState);
    }

    private static boolean isDetached(InboundSequence sequence) {
        return sequence.holder() == null;
    }

    /** Drops the oldest matching sequences. Returns those that the caller must report. The caller must hold the monitor. */
    private List<InboundSequence> removeIf(Predicate<InboundSequence> condition, long max) {
        List<InboundSequence> lost = new ArrayList<>();
        long removed = 0;
        Iterator<InboundSequence> oldest = byChannel.values().iterator();
        while (removed < max && oldest.hasNext()) {
            InboundSequence next = oldest.next();
            if (condition.test(next)) {
                oldest.remove();
                removed++;
                if (next.drop()) {
                    lost.add(next);
                }
                next.end();
            }
        }
        return lost;
    }
}
