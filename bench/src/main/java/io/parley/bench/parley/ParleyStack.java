package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.operation.MeasuredPeer;
import io.parley.bench.operation.Operation;
import io.parley.bench.operation.PeerLocation;
import io.parley.bench.operation.PeerStack;
import io.parley.pipes.Pipes;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Peers of Parley with default settings: TLS and, without a rendezvous, multicast, which does not leave this machine.
 *
 * <p>Processes of other stacks load this class without Parley. It must not contain code for which the verifier of the JVM
 * loads classes of Parley, such as the conversion of a class to its interface.
 */
public final class ParleyStack implements PeerStack {

    @Override
    public String name() {
        return "parley";
    }

    @Override
    public String contender() {
        return "parley-pipe-tls";
    }

    @Override
    public List<Path> ownJars() {
        return List.of();
    }

    @Override
    public boolean neighboursStay() {
        return true;
    }

    @Override
    public Set<Operation> operations(boolean hasRendezvous) {
        return EnumSet.allOf(Operation.class);
    }

    @Override
    public Set<Operation> straight() {
        return EnumSet.of(Operation.BOOT, Operation.OPEN_OUTPUT, Operation.FIRST_MESSAGE);
    }

    @Override
    public void fill(Path home, int advertisements) {
        ParleyHomeGenerator.fill(home, advertisements);
    }

    @Override
    public Rendezvous rendezvous(PeerLocation place) {
        Peer peer = Peer.builder()
                .name("bench-rendezvous")
                .listen(ParleyMeasuredPeer.LISTEN_ADDRESS)
                .multicast(false)
                .actAsRendezvous()
                .start();
        return new Rendezvous() {
            @Override
            public int port() {
                return peer.address().addresses().get(0).port();
            }

            @Override
            public void close() {
                peer.close();
            }
        };
    }

    @Override
    public AutoCloseable other(PeerLocation place, Runnable arrived) {
        Peer peer = ParleyMeasuredPeer.builder(place).name(REMOTE_PEER_NAME).start();
        Pipes.of(peer).listen(PIPE_NAME, message -> arrived.run());
        return peer;
    }

    @Override
    public MeasuredPeer subject(PeerLocation place) {
        return new ParleyMeasuredPeer(
                ParleyMeasuredPeer.builder(place).name("bench-subject").home(place.home()), place.hasRendezvous());
    }
}
