package io.parley.bench.jxta;

import io.parley.bench.operation.PeerLocation;
import io.parley.bench.operation.PeerStack;
import java.net.URI;
import java.nio.file.Path;
import net.jxta.discovery.DiscoveryService;
import net.jxta.platform.NetworkConfigurator;
import net.jxta.platform.NetworkManager.ConfigMode;
import net.jxta.protocol.PipeAdvertisement;

/** The peers of {@link JxtaStack}, apart from it as they need JXTA's classes. */
final class JxtaPeerFactory {

    private static final long PATIENCE_MILLIS = 30_000;

    private JxtaPeerFactory() {}

    static void fill(Path home, int advertisements) throws Exception {
        try (JxtaPeer peer = JxtaPeer.start(ConfigMode.EDGE, "bench-cache", home, configurator -> {})) {
            for (int i = 0; i < advertisements; i++) {
                peer.group().getDiscoveryService().publish(JxtaPipes.advertisement("cached-" + i));
            }
        }
    }

    static PeerStack.Rendezvous rendezvous(PeerLocation place) throws Exception {
        JxtaPeer peer = JxtaPeer.start(ConfigMode.RENDEZVOUS, "bench-rendezvous", place.home(), configurator -> {
            if (place.port() != 0) { // an edge takes a rendezvous for its seed only by an address that this one names
                configurator.setTcpPublicAddress(JxtaPeer.HOST + ":" + place.port(), true);
            }
        });
        return new PeerStack.Rendezvous() {
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

    static AutoCloseable other(PeerLocation place, Runnable arrived) throws Exception {
        JxtaPeer peer = start(PeerStack.OTHER, place);
        if (place.hasRendezvous() && !peer.awaitRendezvous(PATIENCE_MILLIS)) {
            throw new IllegalStateException("no rendezvous was found");
        }
        JxtaPipes.listen(peer, PeerStack.PIPE, event -> arrived.run());
        PipeAdvertisement pipe = JxtaPipes.advertisement(PeerStack.PIPE);
        DiscoveryService discovery = peer.group().getDiscoveryService();
        discovery.publish(pipe);
        discovery.remotePublish(pipe); // by itself it would tell the rendezvous after a minute
        discovery.remotePublish(peer.group().getPeerAdvertisement());
        return peer;
    }

    static JxtaPeer start(String name, PeerLocation place) throws Exception {
        return JxtaPeer.start(ConfigMode.EDGE, name, place.home(), configurator -> settle(configurator, place));
    }

    private static void settle(NetworkConfigurator configurator, PeerLocation place) {
        if (place.hasRendezvous()) {
            configurator.addSeedRendezvous(URI.create(place.rendezvous()));
        }
    }
}
