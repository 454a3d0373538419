package io.parley.bench.jxta;

import io.parley.bench.operation.MeasuredPeer;
import io.parley.bench.operation.Operation;
import io.parley.bench.operation.PeerLocation;
import io.parley.bench.operation.PeerStack;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Peers of JXTA 2.5 with plain text and TCP on loopback. Their multicast does not reach other peers on the same
 * machine, so that a peer without a rendezvous performs only the operations that need no other peer. A process can
 * have one peer at a time. A later peer cannot connect to a remote peer that has served an earlier one.
 */
public final class JxtaStack implements PeerStack {

    @Override
    public String name() {
        return "jxta-2.5";
    }

    @Override
    public String contender() {
        return "jxta-pipe";
    }

    @Override
    public List<Path> ownJars() {
        return JxtaJars.list();
    }

    @Override
    public boolean neighboursStay() {
        return false;
    }

    @Override
    public Set<Operation> operations(boolean hasRendezvous) {
        return hasRendezvous
                ? EnumSet.allOf(Operation.class)
                : EnumSet.of(
                        Operation.BOOT,
                        Operation.JOIN_GROUP,
                        Operation.PUBLISH_PIPE,
                        Operation.OPEN_INPUT,
                        Operation.FIND_LOCAL_PEERS,
                        Operation.FIND_LOCAL_PIPES,
                        Operation.SHUT_DOWN);
    }

    @Override
    public Set<Operation> straight() {
        return EnumSet.of(
                Operation.BOOT,
                Operation.FIND_RENDEZVOUS,
                Operation.FIND_PIPE,
                Operation.OPEN_OUTPUT,
                Operation.FIRST_MESSAGE);
    }

    @Override
    public void fill(Path home, int advertisements) throws Exception {
        JxtaPeerFactory.fill(home, advertisements);
    }

    @Override
    public Rendezvous rendezvous(PeerLocation place) throws Exception {
        return JxtaPeerFactory.rendezvous(place);
    }

    @Override
    public AutoCloseable other(PeerLocation place, Runnable arrived) throws Exception {
        return JxtaPeerFactory.other(place, arrived);
    }

    @Override
    public MeasuredPeer subject(PeerLocation place) {
        return new JxtaMeasuredPeer(place);
    }
}
