package io.parley.examples.search;

import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.TextFormatter;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.Pipes;
import io.parley.store.ValuePattern;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Connects to whoever goes by a name in a group: the holder of the pipe of that name, or the peer that bears it. A peer
 * has to hold the pipe on which it is to be reached, or it does not count: several programs of one user often bear the
 * same name. In place of a peer's name its id will do.
 */
public final class NameConnector {

    /** A peer that needs longer to answer is found in the next round. */
    private static final Duration ROUND = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofMillis(250);
    private static final Duration ATTEMPT = Duration.ofSeconds(3);
    private static final int MAX_PEERS = 32;

    private final PeerGroup group;
    private final String name;
    private final PipeId pipeOfPeer;

    /**
     * Starts nothing yet.
     *
     * @param name       of a pipe or a peer
     * @param pipeOfPeer the pipe on which a peer is to be reached
     */
    public NameConnector(PeerGroup group, String name, PipeId pipeOfPeer) {
        this.group = group;
        this.name = name;
        this.pipeOfPeer = pipeOfPeer;
    }

    /**
     * Waits until the holder of the pipe of that name has answered, or a peer of that name, whichever is first.
     *
     * @throws ParleyException {@link ErrorCode#UNREACHABLE} when nobody has in time
     * @throws CommandFailedException when several peers of that name have
     */
    public OutputPipe connect(Duration timeout) {
        Pipes pipes = Pipes.of(group);
        return connectUnless(pipes.connectAsync(pipes.pipeId(name), timeout));
    }

    /** Same, with a peer of that name alone. */
    public OutputPipe connectToPeer(Duration timeout) {
        CompletableFuture<OutputPipe> never = new CompletableFuture<>();
        CompletableFuture.delayedExecutor(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .execute(() -> never.completeExceptionally(
                        ErrorCode.UNREACHABLE.exception("no peer of that name has answered within " + timeout)));
        return connectUnless(never);
    }

    /** Looks for peers over and over until there is one, or the other future ends. */
    private OutputPipe connectUnless(CompletableFuture<OutputPipe> other) {
        while (!other.isDone()) {
            CompletableFuture<List<OutputPipe>> peers = peers();
            CompletableFuture.anyOf(other, peers)
                    .exceptionally(failure -> failure)
                    .join();
            if (other.isDone()) {
                peers.thenAccept(NameConnector::closeAll);
            } else if (!await(peers).isEmpty()) {
                giveUp(other);
                return only(await(peers));
            } else {
                other.handle((pipe, failure) -> true)
                        .completeOnTimeout(false, PAUSE.toNanos(), TimeUnit.NANOSECONDS)
                        .join();
            }
        }
        return await(other);
    }

    /** The ways to all peers of that name that hold the pipe, as far as they answer. */
    private CompletableFuture<List<OutputPipe>> peers() {
        return candidates().thenCompose(candidates -> {
            List<CompletableFuture<Optional<OutputPipe>>> attempts =
                    candidates.stream().map(this::attempt).toList();
            return CompletableFuture.allOf(attempts.toArray(CompletableFuture<?>[]::new))
                    .thenApply(done -> attempts.stream()
                            .map(CompletableFuture::join)
                            .flatMap(Optional::stream)
                            .toList());
        });
    }

    private CompletableFuture<List<PeerId>> candidates() {
        try {
            return CompletableFuture.completedFuture(others(List.of(PeerId.parse(name))));
        } catch (IllegalArgumentException e) {
            // It is a name.
        }
        DiscoveryQuery query = DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME)
                .with(AdvertisementKinds.NAME, ValuePattern.exactly(name));
        return group.discovery()
                .find(query, new SearchOptions(ROUND, MAX_PEERS, SearchOptions.Scope.LOCAL_AND_REMOTE))
                .thenApply(found -> others(
                        found.stream().map(SignedAdvertisement::publisher).toList()));
    }

    private List<PeerId> others(List<PeerId> peers) {
        PeerId self = group.endpoint().peerId();
        return peers.stream().distinct().filter(peer -> !peer.equals(self)).toList();
    }

    private CompletableFuture<Optional<OutputPipe>> attempt(PeerId peer) {
        CompletableFuture<OutputPipe> connecting =
                group.locate(peer).thenCompose(located -> Pipes.of(group).connectAsync(peer, pipeOfPeer, ATTEMPT));
        return connecting
                .thenApply(Optional::of)
                .completeOnTimeout(Optional.empty(), ATTEMPT.toNanos(), TimeUnit.NANOSECONDS)
                .exceptionally(failure -> Optional.empty())
                .whenComplete((pipe, failure) -> {
                    if (pipe.isEmpty()) {
                        connecting.thenAccept(AsyncCloseable::closeAsync); // it came too late
                    }
                });
    }

    private OutputPipe only(List<OutputPipe> pipes) {
        if (pipes.size() == 1) {
            return pipes.get(0);
        }
        closeAll(pipes);
        throw new CommandFailedException(pipes.size() + " peers go by the name " + TextFormatter.oneLine(name) + ": "
                + pipes.stream().map(pipe -> pipe.holder().text()).sorted().collect(Collectors.joining(", "))
                + ". Give the id of the one you mean instead of the name.");
    }

    private static void closeAll(List<OutputPipe> pipes) {
        pipes.forEach(AsyncCloseable::closeAsync);
    }

    private static void giveUp(CompletableFuture<OutputPipe> other) {
        if (!other.cancel(false)) {
            other.thenAccept(AsyncCloseable::closeAsync);
        }
    }

    /** Waits, and fails as that has, without the wrapper. */
    private static <T> T await(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw ParleyException.unchecked(e);
        }
    }
}
