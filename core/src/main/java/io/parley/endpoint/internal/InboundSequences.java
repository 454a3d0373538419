package io.parley.endpoint.internal;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The inbound sequences of one run of a remote peer. They outlive the links, so that the peer can resume its channels on the
 * next link. Those of an earlier run are dropped. Thread-safe.
 */
final class InboundSequences {

    /** Sequences without a holder beyond this number are dropped, the oldest first. */
    private final int maxDetached;

    private final Map<Long, InboundSequence> byChannel = new LinkedHashMap<>();
    private long instance;

    InboundSequences(int maxDetached) {
        this.maxDetached = maxDetached;
    }

    /** Returns the sequence of a channel, or null if this endpoint does not know it. */
    synchronized @Nullable InboundSequence find(long remoteInstance, long channel) {
        return remoteInstance == instance ? byChannel.get(channel) : null;
    }

    /** Returns a new sequence, or null if there is one of that channel. */
    synchronized @Nullable InboundSequence tryCreate(long remoteInstance, long channel, long base) {
        if (remoteInstance != instance) {
            byChannel.values().forEach(InboundSequence::end);
            byChannel.clear();
            instance = remoteInstance;
        }
        InboundSequence created = new InboundSequence(channel, base);
        return byChannel.putIfAbsent(channel, created) == null ? created : null;
    }

    /** Removes the sequence of a channel that the remote peer has ended, or that this peer has refused. */
    synchronized void remove(InboundSequence ended) {
        byChannel.remove(ended.channel(), ended);
        ended.end();
    }

    /** Drops the oldest sequences without a holder beyond the maximum. Returns whether any sequence is left. */
    synchronized boolean trim() {
        long excess = byChannel.values().stream()
                        .filter(sequence -> sequence.holder() == null)
                        .count()
                - maxDetached;
        Iterator<InboundSequence> oldest = byChannel.values().iterator();
        while (excess > 0 && oldest.hasNext()) {
            InboundSequence sequence = oldest.next();
            if (sequence.holder() == null) {
                oldest.remove();
                sequence.end();
                excess--;
            }
        }
        return !byChannel.isEmpty();
    }

    /** Drops the sequences without a holder. */
    synchronized void removeDetached() {
        byChannel.values().removeIf(sequence -> {
            boolean detached = sequence.holder() == null;
            if (detached) {
                sequence.end();
            }
            return detached;
        });
    }

    /** Releases the state of encoding schemes of the sequences without a holder. */
    synchronized void dropDetachedState() {
        byChannel.values().stream()
                .filter(sequence -> sequence.holder() == null)
                .forEach(InboundSequence::dropState);
    }
}
