package io.parley.sockets;

import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.pipes.BidirectionalPipe;
import io.parley.pipes.BidirectionalPipes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The service that a socket connects to.
 *
 * @param service    the name of the service
 * @param pipe       the pipe of the service
 * @param peer       {@code null} for any peer that has published the service
 * @param hasAddress whether an address of the peer is known, so that no search for it is needed
 */
record SocketTarget(String service, PipeId pipe, @Nullable PeerId peer, boolean hasAddress) {

    static SocketTarget of(PeerGroup group, ServiceHost host) {
        return new SocketTarget(
                host.service(), PipeId.ofName(group.id(), StreamFormat.pipeName(host.service())), host.peerId(), false);
    }

    /** Connects. Cancelling the future ends the attempt; a search for the peer, and a dial, go on until their own timeouts. */
    CompletableFuture<BidirectionalPipe> connect(PeerGroup group, BidirectionalPipes pipes, Duration timeout) {
        if (peer == null) {
            return pipes.connectAsync(pipe, timeout);
        }
        if (hasAddress) {
            return pipes.connectAsync(peer, pipe, timeout);
        }
        CompletableFuture<BidirectionalPipe> result = new CompletableFuture<>();
        CompletableFuture<Void> search = group.locate(peer);
        result.whenComplete((opened, failure) -> search.cancel(false));
        search.whenComplete((located, unknown) -> { // if it is unknown, the attempt has the reason
            if (result.isDone()) {
                return;
            }
            CompletableFuture<BidirectionalPipe> attempt;
            try {
                attempt = pipes.connectAsync(peer, pipe, timeout);
            } catch (RuntimeException e) { // because this peer is closed
                result.completeExceptionally(e);
                return;
            }
            attempt.whenComplete((opened, failure) -> {
                if (opened == null) {
                    result.completeExceptionally(failure);
                } else if (!result.complete(opened)) {
                    opened.abort();
                }
            });
            result.whenComplete((opened, failure) -> attempt.cancel(false));
        });
        return result;
    }

    @Override
    public String toString() {
        return "socket service \"" + service + "\"" + (peer == null ? "" : " of peer " + peer.shortText());
    }
}
