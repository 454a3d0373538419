package io.parley.sockets;

import io.parley.codec.MessageLimits;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.pipes.BidirectionalPipes;
import io.parley.pipes.FlowLimits;
import io.parley.pipes.Pipes;
import java.util.function.Predicate;

/**
 * The parts that all sockets of one {@link PeerSockets} share.
 *
 * @param registry     the open sockets of the group
 * @param pipes        opens the pipes of streams, with the flow limits of these
 * @param allowedPeers tests a peer that connects to a server socket
 */
record SocketContext(PeerSocketRegistry registry, Pipes pipes, SocketLimits limits, Predicate<PeerId> allowedPeers) {

    static SocketContext of(PeerGroup group) {
        PeerSocketRegistry registry = group.extension(PeerSocketRegistry.class, PeerSocketRegistry::new);
        return new SocketContext(registry, Pipes.of(group), SocketLimits.DEFAULTS, peer -> true)
                .with(SocketLimits.DEFAULTS);
    }

    SocketContext with(SocketLimits value) {
        long window = Math.min(value.bufferBytes(), group().endpoint().limits().peerMemoryBytes());
        FlowLimits flow = FlowLimits.builder().windowBytes((int) window).build();
        return new SocketContext(registry, pipes.withFlowLimits(flow), value, allowedPeers);
    }

    SocketContext with(Predicate<PeerId> peers) {
        return new SocketContext(registry, pipes, limits, peers);
    }

    SocketContext secure() {
        return new SocketContext(registry, pipes.secure(), limits, allowedPeers);
    }

    /** Returns pipes with the hello of this peer. */
    BidirectionalPipes bidirectional() {
        return pipes.bidirectional().withHello(StreamFormat.hello(messageLimits()));
    }

    MessageLimits messageLimits() {
        return group().endpoint().limits().messages();
    }

    PeerGroup group() {
        return registry.group();
    }
}
