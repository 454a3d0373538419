package io.parley.transport.udp;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts the pieces of messages together. Nothing here is verified yet, so it holds little and not for long, and where it is
 * full the oldest goes: of the same source when that has too many, else of all. Pieces that came from different addresses
 * are never mixed, so to spoil a message a forger has to use its sender's address and to know its number in time. For one
 * thread.
 */
final class Reassembler {

    private record Key(InetAddress source, MessageKey message, int count) {}

    private final UdpLimits limits;
    private final LongSupplier nanoTime;
    private final DropCounters refusals;
    private final Map<Key, Reassembly> incomplete = new LinkedHashMap<>();
    private final Map<InetAddress, Integer> bySource = new HashMap<>();
    private int heldBytes;

    Reassembler(UdpLimits limits, LongSupplier nanoTime, DropCounters refusals) {
        this.limits = limits;
        this.nanoTime = nanoTime;
        this.refusals = refusals;
    }

    /** The whole message when this was the last piece that was missing, else null. */
    byte @Nullable [] add(InetAddress source, Datagram datagram) {
        if (datagram.count() == 1) {
            return datagram.piece();
        }
        expire();
        Key key = new Key(source, datagram.key(), datagram.count());
        Reassembly reassembly = incomplete.get(key);
        if (reassembly == null) {
            reassembly = begin(key);
        }
        heldBytes -= reassembly.heldBytes();
        reassembly.add(datagram);
        heldBytes += reassembly.heldBytes();
        if (reassembly.isComplete()) {
            remove(key, reassembly);
            return reassembly.message();
        }
        while (heldBytes > limits.reassemblyBytes()) {
            dropOldest(DropReason.REASSEMBLY_LIMIT);
        }
        return null;
    }

    /** Gives up what has taken too long. */
    void expire() {
        long now = nanoTime.getAsLong();
        while (!incomplete.isEmpty()
                && now - incomplete.values().iterator().next().beganNanos()
                        > limits.reassemblyTimeout().toNanos()) {
            dropOldest(DropReason.REASSEMBLY_TIMEOUT);
        }
    }

    int count() {
        return incomplete.size();
    }

    int sourceCount() {
        return bySource.size();
    }

    int heldBytes() {
        return heldBytes;
    }

    /** Forgets what came of a message that has been heard by another way. */
    void forget(MessageKey message) {
        Iterator<Map.Entry<Key, Reassembly>> all = incomplete.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<Key, Reassembly> each = all.next();
            if (each.getKey().message().equals(message)) {
                all.remove();
                uncount(each.getValue());
            }
        }
    }

    private Reassembly begin(Key key) {
        if (bySource.getOrDefault(key.source(), 0) >= limits.maxReassembliesPerSource()) {
            dropOldestOf(key.source());
        } else if (incomplete.size() >= limits.maxReassemblies()) {
            dropOldest(DropReason.REASSEMBLY_LIMIT);
        }
        Reassembly begun = new Reassembly(key.source(), key.count(), nanoTime.getAsLong());
        incomplete.put(key, begun);
        bySource.merge(key.source(), 1, Integer::sum);
        heldBytes += begun.heldBytes();
        return begun;
    }

    private void dropOldestOf(InetAddress source) {
        for (Map.Entry<Key, Reassembly> each : incomplete.entrySet()) {
            if (each.getKey().source().equals(source)) {
                remove(each.getKey(), each.getValue());
                refusals.add(DropReason.REASSEMBLY_LIMIT, source);
                return;
            }
        }
    }

    private void dropOldest(DropReason why) {
        Map.Entry<Key, Reassembly> oldest = incomplete.entrySet().iterator().next();
        remove(oldest.getKey(), oldest.getValue());
        refusals.add(why, oldest.getKey().source());
    }

    private void remove(Key key, Reassembly reassembly) {
        incomplete.remove(key);
        uncount(reassembly);
    }

    private void uncount(Reassembly reassembly) {
        bySource.computeIfPresent(reassembly.source(), (source, count) -> count == 1 ? null : count - 1);
        heldBytes -= reassembly.heldBytes();
    }
}
