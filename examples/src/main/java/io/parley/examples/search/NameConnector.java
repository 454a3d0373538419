package io.parley.examples.search;

import io.parley.common.AsyncCloseable;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Futures;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.Pipes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Connects an output pipe by a name in a group: the name of a pipe, or the name or id of a peer. A peer counts only if it
 * holds the pipe on which it is reached, because several programs of one user may have the same peer name.
 */
public final class NameConnector {

    private final PeerGroup group;
    private final String name;
    private final PipeId pipeOfPeer;
    private final PeerFinder finder;

    /**
     * Creates a connector without starting a search.
     *
     * @param name       the name of a pipe, or the name or id of a peer
     * @param pipeOfPeer the pipe on which a peer is reached
     */
    public NameConnector(PeerGroup group, String name, PipeId pipeOfPeer) {
        this.group = group;
        this.name = name;
        this.pipeOfPeer = pipeOfPeer;
        this.finder = new PeerFinder(group, name);
    }

    /**
     * Waits until the holder of the pipe with that name or a peer with that name has responded, whichever is first.
     *
     * @throws ParleyException {@link ErrorCode#UNREACHABLE} if no peer has responded in time
     * @throws CommandFailedException if several peers with that name have responded
     */
    public OutputPipe connect(Duration timeout) {
        Pipes pipes = Pipes.of(group);
        return connect(pipes.connectAsync(pipes.pipeId(name), timeout));
    }

    /** Waits as {@link #connect}, but accepts only a peer with that name and not a pipe. */
    public OutputPipe connectToPeer(Duration timeout) {
        CompletableFuture<OutputPipe> noPipe = new CompletableFuture<>();
        CompletableFuture.delayedExecutor(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .execute(() -> noPipe.completeExceptionally(finder.unreachable(timeout)));
        return connect(noPipe);
    }

    /** Searches for peers repeatedly until one is found or {@code byPipeName} completes. */
    private OutputPipe connect(CompletableFuture<OutputPipe> byPipeName) {
        while (!byPipeName.isDone()) {
            CompletableFuture<List<OutputPipe>> peers =
                    finder.connectAll(this::connectToPeer, AsyncCloseable::closeAsync);
            CompletableFuture.anyOf(byPipeName, peers)
                    .exceptionally(failure -> failure)
                    .join();
            if (byPipeName.isDone()) {
                peers.thenAccept(NameConnector::closeAll);
            } else if (!Futures.join(peers).isEmpty()) {
                cancel(byPipeName);
                return only(Futures.join(peers));
            } else {
                byPipeName
                        .handle((pipe, failure) -> true)
                        .completeOnTimeout(false, PeerFinder.INTERVAL.toNanos(), TimeUnit.NANOSECONDS)
                        .join();
            }
        }
        return Futures.join(byPipeName);
    }

    private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(5);

    private CompletableFuture<OutputPipe> connectToPeer(PeerId peer) {
        return group.locate(peer)
                .thenCompose(located -> Pipes.of(group).connectAsync(peer, pipeOfPeer, ATTEMPT_TIMEOUT));
    }

    private OutputPipe only(List<OutputPipe> pipes) {
        try {
            finder.requireOne(pipes.stream().map(OutputPipe::holder).toList());
            return pipes.get(0);
        } catch (CommandFailedException e) {
            closeAll(pipes);
            throw e;
        }
    }

    private static void closeAll(List<OutputPipe> pipes) {
        pipes.forEach(AsyncCloseable::closeAsync);
    }

    private static void cancel(CompletableFuture<OutputPipe> connecting) {
        if (!connecting.cancel(false)) {
            connecting.thenAccept(AsyncCloseable::closeAsync);
        }
    }
}
