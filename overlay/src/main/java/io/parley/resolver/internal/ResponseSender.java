package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.HostShares;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.Endpoint;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.resolver.ResolverLimits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends responses, and bounds the memory of those that their receivers have not acknowledged: per peer and, because identities cost
 * nothing, per host. The endpoint holds few responses of a peer at a time, and the others wait here, where they are dropped when
 * they are too old or when a host that has less needs their room. Thread-safe.
 */
final class ResponseSender {

    /** The minimum memory of a response, which bounds their number as well. */
    private static final long MIN_RESPONSE_BYTES = 4096;

    /** The divisor of the total that yields the share of one peer. */
    private static final int PEER_DIVISOR = 4;

    /** The endpoint holds at most these bytes of one peer, as charged, and one response: more than the receiver's window. */
    private static final long MAX_SENDING_BYTES = 2L * GroupResolver.WINDOW_BYTES;

    private static final int HEADER_BYTES = 256;

    /**
     * A host that is always present, with one byte. So no host is ever alone, and none can use the last fifth, which cannot be
     * taken back from it while the endpoint holds its responses.
     */
    private static final String NEXT_HOST = "";

    /**
     * A response that the receiver has not acknowledged.
     *
     * @param units the bytes for which the peer and its host are charged
     */
    private record UnsentResponse(ResolverMessage message, long units, long sinceNanos, CompletableFuture<Void> sent) {}

    /** The responses to one peer. Guarded by the lock of the sender. */
    private static final class PeerResponses {

        private final PeerId peer;
        private final String host;
        private final Deque<UnsentResponse> waiting = new ArrayDeque<>();

        /** The bytes of all responses, and of those that the endpoint holds. */
        private long units;

        private long sendingUnits;

        /** Whether a thread hands responses to the endpoint. */
        private boolean isSending;

        private Scheduler.@Nullable Timer timer;

        private PeerResponses(PeerId peer, String host) {
            this.peer = peer;
            this.host = host;
        }
    }

    private final Endpoint endpoint;
    private final ResolverMessageSender sender;
    private final Scheduler scheduler;
    private final Duration maxAge;
    private final long maxBytes;
    private final HostShares shares;
    private final Map<PeerId, PeerResponses> byPeer = new HashMap<>();
    private boolean closed;

    ResponseSender(Endpoint endpoint, ResolverMessageSender sender, ResolverLimits limits, Scheduler scheduler) {
        this.endpoint = endpoint;
        this.sender = sender;
        this.scheduler = scheduler;
        this.maxAge = limits.handlerTimeout();
        this.maxBytes = limits.maxUnsentResponseBytes();
        this.shares = new HostShares(maxBytes);
        if (!shares.tryAcquire(NEXT_HOST, 1)) {
            throw new IllegalStateException("maxUnsentResponseBytes: " + maxBytes);
        }
    }

    /** Returns whether a peer does not read responses, so that there is no room for another one. */
    synchronized boolean isFull(PeerId peer) {
        PeerResponses responses = byPeer.get(peer);
        return responses != null && responses.units + MIN_RESPONSE_BYTES > maxBytes / PEER_DIVISOR;
    }

    /**
     * Sends a response.
     *
     * @return a future that completes when the peer has received it; it fails with {@link ErrorCode#LOCAL_LIMIT} if the response
     *     is dropped
     */
    CompletableFuture<Void> send(PeerId peer, ResolverMessage message) {
        long size = HEADER_BYTES
                + (message instanceof ResolverMessage.ResponseMessage response
                        ? ResolverMessageFormat.size(response.body())
                        : 0);
        UnsentResponse response = new UnsentResponse(
                message, Math.max(MIN_RESPONSE_BYTES, size), scheduler.nanoTime(), new CompletableFuture<>());
        String host = RemoteHosts.of(endpoint, peer);
        List<UnsentResponse> dropped = new ArrayList<>();
        PeerResponses responses;
        synchronized (this) {
            responses = closed ? null : add(peer, host, response, dropped);
        }
        drop(dropped, limitExceeded());
        if (responses == null) {
            drop(List.of(response), limitExceeded());
        } else {
            sendWaiting(responses);
        }
        return response.sent();
    }

    /** Sends the refusal of a query. It is dropped if the queue of the endpoint is full. */
    CompletableFuture<Void> sendRefusal(PeerId peer, ResolverMessage.ErrorMessage refusal) {
        String host = RemoteHosts.of(endpoint, peer);
        if (!shares.tryAcquire(host, MIN_RESPONSE_BYTES)) {
            return CompletableFuture.failedFuture(limitExceeded());
        }
        return sender.trySend(peer, refusal).whenComplete((sent, failure) -> shares.release(host, MIN_RESPONSE_BYTES));
    }

    /** Returns the responses of the peer with the new one; {@code null} if there is no room. The caller must hold the lock. */
    private @Nullable PeerResponses add(
            PeerId peer, String host, UnsentResponse response, List<UnsentResponse> dropped) {
        PeerResponses known = byPeer.get(peer);
        PeerResponses responses = known != null ? known : new PeerResponses(peer, host);
        boolean hasRoom = known == null || known.units + response.units() <= maxBytes / PEER_DIVISOR;
        if (!hasRoom || !acquire(responses.host, response.units(), dropped)) {
            return null;
        }
        byPeer.put(peer, responses);
        responses.units += response.units();
        responses.waiting.add(response);
        return responses;
    }

    private boolean acquire(String host, long units, List<UnsentResponse> dropped) {
        while (!shares.tryAcquire(host, units)) {
            PeerResponses victim = victim(host, units);
            if (victim == null) {
                return false;
            }
            while (!victim.waiting.isEmpty() && shares.used() + units > maxBytes) {
                UnsentResponse oldest = victim.waiting.remove();
                release(victim, oldest);
                dropped.add(oldest);
            }
        }
        return true;
    }

    /** Returns the largest peer of the largest host with waiting responses; {@code null} if the host does not deserve their room. */
    private @Nullable PeerResponses victim(String host, long units) {
        String largest = shares.largestHost().orElse(host);
        if (largest.equals(host) || !shares.isBelowShare(host, units)) {
            return null;
        }
        return byPeer.values().stream()
                .filter(responses -> responses.host.equals(largest) && !responses.waiting.isEmpty())
                .max(Comparator.comparingLong(responses -> responses.units))
                .orElse(null);
    }

    /** The caller must hold the lock. */
    private void release(PeerResponses responses, UnsentResponse response) {
        responses.units -= response.units();
        shares.release(responses.host, response.units());
        if (responses.units == 0) {
            byPeer.remove(responses.peer);
            cancelTimer(responses);
        }
    }

    private static void cancelTimer(PeerResponses responses) {
        if (responses.timer != null) {
            responses.timer.cancel();
            responses.timer = null;
        }
    }

    /** Hands responses to the endpoint, one thread at a time, without the lock. */
    private void sendWaiting(PeerResponses responses) {
        synchronized (this) {
            if (responses.isSending) {
                return;
            }
            responses.isSending = true;
        }
        for (UnsentResponse next = poll(responses); next != null; next = poll(responses)) {
            UnsentResponse response = next;
            sender.send(responses.peer, response.message())
                    .whenComplete((sent, failure) -> onSent(responses, response, failure));
        }
    }

    private synchronized @Nullable UnsentResponse poll(PeerResponses responses) {
        UnsentResponse next = responses.sendingUnits < MAX_SENDING_BYTES ? responses.waiting.poll() : null;
        if (next == null) {
            responses.isSending = false;
            startTimer(responses);
        } else {
            responses.sendingUnits += next.units();
        }
        return next;
    }

    private void onSent(PeerResponses responses, UnsentResponse response, @Nullable Throwable failure) {
        synchronized (this) {
            responses.sendingUnits -= response.units();
            release(responses, response);
        }
        if (failure == null) {
            response.sent().complete(null);
        } else {
            response.sent().completeExceptionally(Throwables.unwrap(failure));
        }
        sendWaiting(responses);
    }

    /** The caller must hold the lock. */
    private void startTimer(PeerResponses responses) {
        UnsentResponse oldest = responses.waiting.peek();
        if (oldest != null && responses.timer == null) {
            Duration age = Duration.ofNanos(scheduler.nanoTime() - oldest.sinceNanos());
            responses.timer = scheduler.schedule(maxAge.minus(age), () -> onTimeout(responses));
        }
    }

    private void onTimeout(PeerResponses responses) {
        List<UnsentResponse> dropped = new ArrayList<>();
        synchronized (this) {
            responses.timer = null;
            long now = scheduler.nanoTime();
            UnsentResponse oldest = responses.waiting.peek();
            while (oldest != null && now - oldest.sinceNanos() >= maxAge.toNanos()) {
                dropped.add(responses.waiting.remove());
                release(responses, oldest);
                oldest = responses.waiting.peek();
            }
            startTimer(responses);
        }
        drop(dropped, limitExceeded());
    }

    /** Must be called without the lock. */
    private static void drop(List<UnsentResponse> dropped, ParleyException cause) {
        dropped.forEach(response -> response.sent().completeExceptionally(cause));
    }

    private ParleyException limitExceeded() {
        return ErrorCode.LOCAL_LIMIT.exception("unsent responses: the receiver does not read them (expected: <= "
                + "maxUnsentResponseBytes " + maxBytes + ", a quarter for one peer, for at most " + maxAge + ")");
    }

    /** Returns the number of peers that have not received all their responses. */
    synchronized int pendingPeers() {
        return byPeer.size();
    }

    /** Drops the responses that wait. */
    void close() {
        List<UnsentResponse> dropped = new ArrayList<>();
        synchronized (this) {
            closed = true;
            for (PeerResponses responses : List.copyOf(byPeer.values())) {
                cancelTimer(responses);
                dropped.addAll(responses.waiting);
                responses.waiting.forEach(waiting -> release(responses, waiting));
                responses.waiting.clear();
            }
        }
        drop(dropped, ErrorCode.CLOSED.exception("resolver: closed"));
    }
}
