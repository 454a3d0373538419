package io.parley.transport.udp;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How much is looked at, by source address and in all. A source's own rate is asked first, so that one which is too loud
 * takes nothing from the others. Source addresses can be forged: that the table forgets the one that was quiet for
 * longest gives a forger new rates, and what holds then is the rate of all. For one thread.
 */
final class SourceRateLimiter {

    private record SourceBuckets(TokenBucket datagrams, TokenBucket signatures) {}

    private final UdpLimits limits;
    private final LongSupplier nanoTime;
    private final TokenBucket allDatagrams;
    private final TokenBucket allSignatures;
    private final Map<InetAddress, SourceBuckets> sources = new LinkedHashMap<>(16, 0.75f, true);

    SourceRateLimiter(UdpLimits limits, LongSupplier nanoTime) {
        this.limits = limits;
        this.nanoTime = nanoTime;
        this.allDatagrams = new TokenBucket(limits.datagramsPerSecond(), nanoTime.getAsLong());
        this.allSignatures = new TokenBucket(limits.signaturesPerSecond(), nanoTime.getAsLong());
    }

    boolean takeDatagram(InetAddress from) {
        long now = nanoTime.getAsLong();
        return source(from, now).datagrams.take(now) && allDatagrams.take(now);
    }

    boolean takeSignature(InetAddress from) {
        long now = nanoTime.getAsLong();
        return source(from, now).signatures.take(now) && allSignatures.take(now);
    }

    int sourceCount() {
        return sources.size();
    }

    private SourceBuckets source(InetAddress address, long now) {
        SourceBuckets known = sources.get(address);
        if (known != null) {
            return known;
        }
        if (sources.size() >= limits.maxSources()) {
            sources.remove(sources.keySet().iterator().next());
        }
        SourceBuckets fresh = new SourceBuckets(
                new TokenBucket(limits.datagramsPerSecondPerSource(), now),
                new TokenBucket(limits.signaturesPerSecondPerSource(), now));
        sources.put(address, fresh);
        return fresh;
    }
}
