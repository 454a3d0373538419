package io.parley.bench.jxta;

import io.parley.bench.operation.Operation;
import io.parley.bench.operation.Place;
import io.parley.bench.operation.Stack;
import io.parley.bench.operation.Subject;
import java.net.URI;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import net.jxta.platform.NetworkConfigurator;
import net.jxta.platform.NetworkManager.ConfigMode;
import net.jxta.protocol.PipeAdvertisement;

/** JXTA 2.5: plain text, TCP on loopback, and, without a rendezvous, multicast. There can be one peer per process. */
public final class JxtaStack implements Stack {

    private static final long PATIENCE_MILLIS = 30_000;

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
    public boolean restarts() {
        return false;
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
        try (JxtaPeer peer = JxtaPeer.start(ConfigMode.ADHOC, JxtaSubject.NAME, home, configurator -> {})) {
            for (int i = 0; i < advertisements; i++) {
                peer.group().getDiscoveryService().publish(Pipes.advertisement("cached-" + i));
            }
        }
    }

    @Override
    public Rendezvous rendezvous(Place place) throws Exception {
        JxtaPeer peer = JxtaPeer.start(ConfigMode.RENDEZVOUS, "bench-rendezvous", place.home(), configurator -> {
            if (place.port() != 0) { // an edge takes a rendezvous for its seed only by an address that this one names
                configurator.setTcpPublicAddress(JxtaPeer.HOST + ":" + place.port(), true);
            }
        });
        return new Rendezvous() {
            @Override
            public int port() {
                return peer.port();
            }

            @Override
            public void close() {
                peer.close();
            }
        };
    }

    @Override
    public AutoCloseable other(Place place, Runnable arrived) throws Exception {
        JxtaPeer peer = start(OTHER, place);
        if (place.hasRendezvous() && !peer.awaitRendezvous(PATIENCE_MILLIS)) {
            throw new IllegalStateException("no rendezvous was found");
        }
        Pipes.listen(peer, PIPE, event -> arrived.run());
        PipeAdvertisement pipe = Pipes.advertisement(PIPE);
        peer.group().getDiscoveryService().publish(pipe);
        peer.group().getDiscoveryService().remotePublish(pipe);
        return peer;
    }

    @Override
    public Subject subject(Place place) {
        return new JxtaSubject(place);
    }

    static JxtaPeer start(String name, Place place) throws Exception {
        return JxtaPeer.start(
                place.hasRendezvous() ? ConfigMode.EDGE : ConfigMode.ADHOC,
                name,
                place.home(),
                configurator -> settle(configurator, place));
    }

    private static void settle(NetworkConfigurator configurator, Place place) {
        if (place.hasRendezvous()) {
            configurator.addSeedRendezvous(URI.create(place.rendezvous()));
        } else {
            configurator.setUseMulticast(true);
            configurator.setMulticastPort(place.port());
        }
    }
}
