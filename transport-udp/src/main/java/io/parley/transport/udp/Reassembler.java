package io.parley.transport.udp;

import io.parley.common.Scheduler;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reassembles messages from fragments. The fragments are not verified yet, so size and time are limited. If the reassembler
 * is full, it drops the oldest incomplete message: of the same source if that source has too many, else of all. Fragments
 * from different addresses are never combined, so to corrupt a message a forger must use the address of its sender and know
 * its number in time. Not thread-safe.
 */
final class Reassembler {

    private record Key(InetAddress source, MessageKey message, int count) {}

    private final UdpLimits limits;
    private final Scheduler scheduler;
    private final DropCounters drops;
    private final Map<Key, Reassembly> incomplete = new LinkedHashMap<>();
    private final Map<InetAddress, Integer> bySource = new HashMap<>();
    private int heldBytes;

    Reassembler(UdpLimits limits, Scheduler scheduler, DropCounters drops) {
        this.limits = limits;
        this.scheduler = scheduler;
        this.drops = drops;
    }

    /** Adds a fragment; returns the message if it was the last missing fragment, else null. */
    byte @Nullable [] add(InetAddress source, Datagram datagram) {
        if (datagram.count() == 1) {
            return datagram.fragment();
        }
        expire();
        Key key = new Key(source, datagram.key(), datagram.count());
        Reassembly reassembly = incomplete.get(key);
        if (reassembly == null) {
            reassembly = create(key);
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

    /** Drops the incomplete messages whose timeout is over. */
    void expire() {
        long now = scheduler.nanoTime();
        while (!incomplete.isEmpty()
                && now - incomplete.values().iterator().next().startNanos()
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

    /** Drops the fragments of a message that was received from another address. */
    void remove(MessageKey message) {
        Iterator<Map.Entry<Key, Reassembly>> all = incomplete.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<Key, Reassembly> each = all.next();
            if (each.getKey().message().equals(message)) {
                all.remove();
                release(each.getValue());
            }
        }
    }

    private Reassembly create(Key key) {
        if (bySource.getOrDefault(key.source(), 0) >= limits.maxReassembliesPerSource()) {
            dropOldestOf(key.source());
        } else if (incomplete.size() >= limits.maxReassemblies()) {
            dropOldest(DropReason.REASSEMBLY_LIMIT);
        }
        Reassembly added = new Reassembly(key.source(), key.count(), scheduler.nanoTime());
        incomplete.put(key, added);
        bySource.merge(key.source(), 1, Integer::sum);
        heldBytes += added.heldBytes();
        return added;
    }

    private void dropOldestOf(InetAddress source) {
        for (Map.Entry<Key, Reassembly> each : incomplete.entrySet()) {
            if (each.getKey().source().equals(source)) {
                remove(each.getKey(), each.getValue());
                drops.add(DropReason.REASSEMBLY_LIMIT, source);
                return;
            }
        }
    }

    private void dropOldest(DropReason reason) {
        Map.Entry<Key, Reassembly> oldest = incomplete.entrySet().iterator().next();
        remove(oldest.getKey(), oldest.getValue());
        drops.add(reason, oldest.getKey().source());
    }

    private void remove(Key key, Reassembly reassembly) {
        incomplete.remove(key);
        release(reassembly);
    }

    private void release(Reassembly reassembly) {
        bySource.computeIfPresent(reassembly.source(), (source, count) -> count == 1 ? null : count - 1);
        heldBytes -= reassembly.heldBytes();
    }
}
