package io.parley.bench.jxta;

import io.parley.bench.contender.ProcessLocation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import net.jxta.endpoint.EndpointService;
import net.jxta.exception.PeerGroupException;
import net.jxta.id.IDFactory;
import net.jxta.peer.PeerID;
import net.jxta.peergroup.PeerGroup;
import net.jxta.peergroup.PeerGroupID;
import net.jxta.pipe.PipeService;
import net.jxta.platform.NetworkConfigurator;
import net.jxta.platform.NetworkManager;

/**
 * One JXTA peer on loopback: TCP only, no multicast, no seeds, a fixed peer id, logging switched off in its static
 * switches. There can be one per process at a time.
 */
final class JxtaPeer implements AutoCloseable {

    /** Held here, because the logging framework forgets the level of a logger that nobody holds. */
    private static final Logger NOISE = Logger.getLogger("net.jxta");

    static final String HOST = "127.0.0.1";

    private final NetworkManager manager;
    private final PeerGroup group;
    private final int port;

    private JxtaPeer(NetworkManager manager, PeerGroup group, int port) {
        this.manager = manager;
        this.group = group;
        this.port = port;
    }

    static JxtaPeer start(String name, ProcessLocation site)
            throws IOException, PeerGroupException, ReflectiveOperationException {
        return start(NetworkManager.ConfigMode.ADHOC, name, site.home(), configurator -> {});
    }

    /** @param settings changes what is to be other than said above */
    static JxtaPeer start(
            NetworkManager.ConfigMode mode, String name, Path home, Consumer<NetworkConfigurator> settings)
            throws IOException, PeerGroupException, ReflectiveOperationException {
        System.setProperty("net.jxta.logging.Logging", "SEVERE");
        NOISE.setLevel(Level.SEVERE);
        JxtaPatches.apply();
        int port = freePort();
        NetworkManager manager = new NetworkManager(mode, name, home.toUri());
        manager.setUseDefaultSeeds(false);
        manager.setPeerID(peerId(name));
        NetworkConfigurator configurator = manager.getConfigurator();
        configurator.setName(name);
        configurator.setHttpEnabled(false);
        configurator.setUseMulticast(false);
        configurator.setTcpEnabled(true);
        configurator.setTcpIncoming(true);
        configurator.setTcpOutgoing(true);
        configurator.setTcpInterfaceAddress(HOST);
        configurator.setTcpPort(port);
        configurator.setTcpStartPort(-1);
        configurator.setTcpEndPort(-1);
        settings.accept(configurator);
        return new JxtaPeer(manager, manager.startNetwork(), port);
    }

    /** The peer id that goes with a name: the same in every run and every process. */
    static PeerID peerId(String name) {
        byte[] seed = new byte[16];
        new Random(name.hashCode()).nextBytes(seed);
        return IDFactory.newPeerID(PeerGroupID.defaultNetPeerGroupID, seed);
    }

    /** A port that was free a moment ago: JXTA wants to be told one. */
    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }

    static String address(int port) {
        return "tcp://" + HOST + ":" + port;
    }

    PeerGroup group() {
        return group;
    }

    EndpointService endpoint() {
        return group.getEndpointService();
    }

    PipeService pipes() {
        return group.getPipeService();
    }

    boolean awaitRendezvous(long millis) {
        return manager.waitForRendezvousConnection(millis);
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        manager.stopNetwork();
    }
}
