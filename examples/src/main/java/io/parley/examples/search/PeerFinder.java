package io.parley.examples.search;

import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Futures;
import io.parley.examples.console.TextFormatter;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.store.ValuePattern;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Finds the peers with a given name, or the peer with a given id, in a group. A peer counts only if it responds:
 * advertisements of peers that have failed remain until they expire.
 */
public final class PeerFinder {

    /** The pause between two rounds. */
    static final Duration INTERVAL = Duration.ofMillis(250);

    /** The duration of one search. A peer that responds later is found in the next round. */
    private static final Duration ROUND_TIMEOUT = Duration.ofSeconds(1);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
    private static final int MAX_PEERS = 32;

    private final PeerGroup group;
    private final String name;

    /** @param name the name or the id of a peer */
    public PeerFinder(PeerGroup group, String name) {
        this.group = group;
        this.name = name;
    }

    /**
     * Waits until a peer with that name has accepted a connection.
     *
     * @throws ParleyException {@link ErrorCode#UNREACHABLE} if no peer has responded in time
     * @throws CommandFailedException if several peers with that name have responded
     */
    public PeerId find(Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        do {
            List<PeerId> peers = Futures.join(connectAll(this::connect, peer -> {}));
            if (!peers.isEmpty()) {
                requireOne(peers);
                return peers.get(0);
            }
            new CompletableFuture<Void>()
                    .completeOnTimeout(null, INTERVAL.toNanos(), TimeUnit.NANOSECONDS)
                    .join();
        } while (System.nanoTime() < deadline);
        throw unreachable(timeout);
    }

    private CompletableFuture<PeerId> connect(PeerId peer) {
        return group.locate(peer)
                .thenCompose(located -> group.endpoint().connect(peer))
                .thenApply(connected -> peer);
    }

    ParleyException unreachable(Duration timeout) {
        return ErrorCode.UNREACHABLE.exception(
                "peer " + TextFormatter.oneLine(name) + ": no response within " + TextFormatter.seconds(timeout));
    }

    /**
     * Searches once and connects to each peer that is found.
     *
     * @param connector connects to one peer
     * @param discard   closes a result that arrives after the timeout
     * @return a future that completes with the results of the peers that have responded
     */
    <T> CompletableFuture<List<T>> connectAll(Function<PeerId, CompletableFuture<T>> connector, Consumer<T> discard) {
        return candidates().thenCompose(candidates -> {
            List<CompletableFuture<Optional<T>>> attempts = candidates.stream()
                    .map(peer -> attempt(connector.apply(peer), discard))
                    .toList();
            return CompletableFuture.allOf(attempts.toArray(CompletableFuture<?>[]::new))
                    .thenApply(done -> attempts.stream()
                            .map(CompletableFuture::join)
                            .flatMap(Optional::stream)
                            .toList());
        });
    }

    private static <T> CompletableFuture<Optional<T>> attempt(CompletableFuture<T> connecting, Consumer<T> discard) {
        return connecting
                .thenApply(Optional::of)
                .completeOnTimeout(Optional.empty(), CONNECT_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)
                .exceptionally(failure -> Optional.empty())
                .whenComplete((result, failure) -> {
                    if (result.isEmpty()) {
                        connecting.thenAccept(discard);
                    }
                });
    }

    private CompletableFuture<List<PeerId>> candidates() {
        try {
            return CompletableFuture.completedFuture(withoutSelf(List.of(PeerId.parse(name))));
        } catch (IllegalArgumentException e) {
            // The text is a name.
        }
        DiscoveryQuery query = DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME)
                .with(AdvertisementKinds.NAME, ValuePattern.exactly(name));
        return group.discovery()
                .find(query, new SearchOptions(ROUND_TIMEOUT, MAX_PEERS, SearchOptions.Scope.LOCAL_AND_REMOTE))
                .thenApply(found -> withoutSelf(
                        found.stream().map(SignedAdvertisement::publisher).toList()));
    }

    private List<PeerId> withoutSelf(List<PeerId> peers) {
        PeerId self = group.endpoint().peerId();
        return peers.stream().distinct().filter(peer -> !peer.equals(self)).toList();
    }

    /** Requires that exactly one peer has responded. */
    void requireOne(Collection<PeerId> peers) {
        if (peers.size() > 1) {
            throw new CommandFailedException(peers.size() + " peers have the name " + TextFormatter.oneLine(name) + ": "
                    + peers.stream().map(PeerId::text).sorted().collect(Collectors.joining(", "))
                    + ". Use the id of one of them instead of the name.");
        }
    }
}
