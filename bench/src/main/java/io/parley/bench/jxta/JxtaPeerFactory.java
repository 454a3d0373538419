package io.parley.bench.jxta;

import io.parley.bench.operation.PeerLocation;
import io.parley.bench.operation.PeerStack;
import java.net.URI;
import java.nio.file.Path;
import net.jxta.discovery.DiscoveryService;
import net.jxta.platform.NetworkConfigurator;
import net.jxta.platform.NetworkManager.ConfigMode;
import net.jxta.protocol.PipeAdvertisement;

/** Creates the peers of {@link JxtaStack}. It is a class of its own because it needs the classes of JXTA. */
final class JxtaPeerFactory {

    private static final long TIMEOUT_MILLIS = 30_000;

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
            if (place.port() != 0) { // an edge accepts its seed only if the rendezvous advertises the seed address
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
        JxtaPeer peer = start(PeerStack.REMOTE_PEER_NAME, place);
        if (place.hasRendezvous() && !peer.awaitRendezvous(TIMEOUT_MILLIS)) {
            throw new IllegalStateException("rendezvous: not found within " + TIMEOUT_MILLIS + " ms");
        }
        JxtaPipes.listen(peer, PeerStack.PIPE_NAME, event -> arrived.run());
        PipeAdvertisement pipe = JxtaPipes.advertisement(PeerStack.PIPE_NAME);
        DiscoveryService discovery = peer.group().getDiscoveryService();
        discovery.publish(pipe);
        discovery.remotePublish(pipe); // otherwise JXTA publishes it at the rendezvous after a minute
        discovery.remotePublish(peer.group().getPeerAdvertisement());
        return peer;
    }

    static JxtaPeer start(String name, PeerLocation place) throws Exception {
        return JxtaPeer.start(ConfigMode.EDGE, name, place.home(), configurator -> addSeed(configurator, place));
    }

    private static void addSeed(NetworkConfigurator configurator, PeerLocation place) {
        if (place.hasRendezvous()) {
            configurator.addSeedRendezvous(URI.create(place.rendezvous()));
        }
    }
}
