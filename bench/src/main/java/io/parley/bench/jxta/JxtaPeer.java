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
import net.jxta.credential.AuthenticationCredential;
import net.jxta.endpoint.EndpointService;
import net.jxta.exception.PeerGroupException;
import net.jxta.exception.ProtocolNotSupportedException;
import net.jxta.id.IDFactory;
import net.jxta.impl.membership.pse.StringAuthenticator;
import net.jxta.membership.MembershipService;
import net.jxta.peer.PeerID;
import net.jxta.peergroup.PeerGroup;
import net.jxta.peergroup.PeerGroupID;
import net.jxta.pipe.PipeService;
import net.jxta.platform.NetworkConfigurator;
import net.jxta.platform.NetworkManager;

/**
 * A JXTA peer on loopback: TCP only, no multicast, no seeds, a fixed peer id, and logging switched off by JXTA's static
 * switches. A process can have one such peer at a time.
 */
final class JxtaPeer implements AutoCloseable {

    /** A strong reference, because the logging framework loses the level of a logger that is not referenced. */
    private static final Logger JXTA_LOGGER = Logger.getLogger("net.jxta");

    static final String HOST = "127.0.0.1";

    private static final String PASSWORD = "bench-password";

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

    /** Starts a peer for secure pipes, which has logged in. */
    static JxtaPeer startSecure(String name, ProcessLocation site, JxtaCertificate certificate)
            throws IOException, PeerGroupException, ReflectiveOperationException, ProtocolNotSupportedException {
        JxtaPeer peer = start(NetworkManager.ConfigMode.ADHOC, name, site.home(), configurator -> {
            configurator.setCertificate(certificate.certificate());
            configurator.setPrivateKey(certificate.key());
            configurator.setPassword(PASSWORD);
        });
        peer.logIn();
        return peer;
    }

    private void logIn() throws PeerGroupException, ProtocolNotSupportedException {
        MembershipService membership = group.getMembershipService();
        StringAuthenticator authenticator = (StringAuthenticator)
                membership.apply(new AuthenticationCredential(group, "StringAuthentication", null));
        authenticator.setAuth1_KeyStorePassword(PASSWORD);
        authenticator.setAuth2Identity(group.getPeerID());
        authenticator.setAuth3_IdentityPassword(PASSWORD);
        if (!authenticator.isReadyForJoin()) {
            throw new IllegalStateException("JXTA: the membership service does not accept its own password");
        }
        membership.join(authenticator);
    }

    /** @param settings changes settings of the configuration described above */
    static JxtaPeer start(
            NetworkManager.ConfigMode mode, String name, Path home, Consumer<NetworkConfigurator> settings)
            throws IOException, PeerGroupException, ReflectiveOperationException {
        System.setProperty("net.jxta.logging.Logging", "SEVERE");
        JXTA_LOGGER.setLevel(Level.SEVERE);
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

    /** Returns the peer id for a name. It is the same in every run and every process. */
    static PeerID peerId(String name) {
        byte[] seed = new byte[16];
        new Random(name.hashCode()).nextBytes(seed);
        return IDFactory.newPeerID(PeerGroupID.defaultNetPeerGroupID, seed);
    }

    /** Returns a port that was free at the time of the call, because JXTA requires a port number. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
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
