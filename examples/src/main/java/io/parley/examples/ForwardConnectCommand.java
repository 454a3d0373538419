package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.UsageException;
import io.parley.examples.forward.ConnectionForwarder;
import io.parley.examples.forward.ConnectionLog;
import io.parley.examples.forward.ServiceConnector;
import io.parley.examples.search.PeerFinder;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.pipes.PipeTicket;
import io.parley.sockets.PeerSockets;
import io.parley.sockets.ServiceHost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Opens a TCP port that leads to the service of another peer. */
@Command(
        name = "connect",
        description = {
            "Open a TCP port here that leads to a port of another peer.",
            "The other peer runs \"parley forward serve\". Each connection to the port here becomes one to the port there. The end"
                    + " of a direction and resets are passed on. Connections survive a lost network for the time of --reconnect."
                    + " Runs until it is interrupted."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  parley forward connect db --peer PEER --home ~/.parley --port 5432",
            "  parley forward connect TICKET --port 2222",
            "A peer that is allowed by its id needs its --home. Without --peer the first peer with such a service is used."
        },
        mixinStandardHelpOptions = true)
final class ForwardConnectCommand implements Callable<Integer> {

    static final int BACKLOG = 512;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private GuestOptions guest = new GuestOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Mixin
    private MaxConnectionsOption maxConnections = new MaxConnectionsOption();

    @Option(
            names = "--peer",
            paramLabel = "ID|NAME",
            description = "Peer that has the service. An id is authenticated, a name is not. Default: any peer")
    private @Nullable String peerName;

    @Option(names = "--port", paramLabel = "PORT", description = "TCP port to open here. Default: any free port")
    private int port;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description =
                    "Address of this machine on which to open the port. With another one than the default, other machines"
                            + " can use the service too, such as all with 0.0.0.0. Default: ${DEFAULT-VALUE}")
    private String bind = "127.0.0.1";

    @Parameters(
            paramLabel = "SERVICE|TICKET",
            description =
                    "Name of the service, its host name SERVICE.PEER.parley, or the ticket that the other peer printed.")
    private String target = "";

    @Override
    public Integer call() throws IOException {
        Console console = common.console();
        boolean byTicket = GuestOptions.isTicket(target);
        int max = maxConnections.value();
        ServiceHost host = byTicket ? null : host();
        PipeTicket ticket = byTicket ? GuestOptions.ticket(target) : null;
        if (peerName != null) {
            checkPeerOption(peerName, byTicket, host);
        }
        try (ShutdownSignal shutdown = ShutdownSignal.start();
                ServerSocket server = open(bind, port);
                Peer peer = guest.start(target)) {
            PeerGroup joined = host == null ? peer.netGroup() : group.join(peer);
            PeerSockets sockets =
                    PeerSockets.of(joined).withLimits(ConnectionForwarder.socketLimits(guest.reconnectTimeout()));
            ServiceConnector connector;
            String shown;
            if (ticket != null) {
                GuestOptions.checkOther(peer, ticket.holder().peer());
                connector = ServiceConnector.of(sockets, ticket, guest.timeout());
                shown = "the service of the ticket";
            } else {
                ServiceHost found = withPeer(joined, Objects.requireNonNull(host));
                found.peer().ifPresent(other -> GuestOptions.checkOther(peer, other));
                connector = ServiceConnector.of(sockets, found, guest.timeout());
                shown = found.toString();
            }
            try (ConnectionForwarder forwarder =
                    ConnectionForwarder.start(server, connector, max, new ConnectionLog(console::notice))) {
                announce(console, server, shown, peer);
                shutdown.whenRequested().join();
            }
        }
        return 0;
    }

    /** Opens a TCP port. */
    static ServerSocket open(String address, int port) throws IOException {
        if (port < 0 || port > 65_535) {
            throw new UsageException("--port is " + port + ". Use 0 to 65535.");
        }
        InetAddress local;
        try {
            local = InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new UsageException("--bind is " + address + ". Use an address of this machine.", e);
        }
        ServerSocket server = new ServerSocket();
        try {
            server.bind(new InetSocketAddress(local, port), BACKLOG);
            return server;
        } catch (IOException e) {
            server.close();
            throw new CommandFailedException(
                    "Cannot listen on " + address + " port " + port + ": " + e.getMessage()
                            + (isOfThisMachine(local)
                                    ? ". Use another --port; 0 selects any free port."
                                    : ". Use a --bind address of this machine."),
                    e);
        }
    }

    private static boolean isOfThisMachine(InetAddress address) throws IOException {
        return address.isAnyLocalAddress()
                || address.isLoopbackAddress()
                || NetworkInterface.getByInetAddress(address) != null;
    }

    private ServiceHost host() {
        return ServiceHost.isServiceHost(target) ? ServiceHost.parse(target) : ForwardServeCommand.serviceHost(target);
    }

    private void checkPeerOption(String idOrName, boolean byTicket, @Nullable ServiceHost host) {
        if (byTicket) {
            throw new UsageException("The ticket names a peer already. Omit --peer.");
        }
        if (host != null && host.peer().isPresent()) {
            throw new UsageException("The host name " + host + " names a peer already. Omit --peer.");
        }
        // A search would send the secret of a ticket to the group.
        if (GuestOptions.isTicket(idOrName) && peerId(idOrName).isEmpty()) {
            throw new UsageException("--peer has a ticket or an address. Use the id or the name of the peer, or"
                    + " the ticket in place of SERVICE without --peer.");
        }
    }

    private ServiceHost withPeer(PeerGroup joined, ServiceHost host) {
        String idOrName = peerName;
        return idOrName == null
                ? host
                : ServiceHost.of(
                        peerId(idOrName).orElseGet(() -> new PeerFinder(joined, idOrName).find(guest.timeout())),
                        host.service());
    }

    private static Optional<PeerId> peerId(String text) {
        try {
            return Optional.of(PeerId.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // a name
        }
    }

    private static void announce(Console console, ServerSocket server, String service, Peer peer) {
        String address = server.getInetAddress().getHostAddress();
        if (!server.getInetAddress().isLoopbackAddress()) {
            console.remark("Every machine that reaches this port can use the service.");
        }
        console.result(
                JsonObject.object()
                        .add("event", "ready")
                        .add("address", address)
                        .add("port", server.getLocalPort())
                        .add("service", service)
                        .add("peer", peer.id().text()),
                "Forwarding " + (address.indexOf(':') < 0 ? address : "[" + address + "]") + ":" + server.getLocalPort()
                        + " to " + service + ". Ctrl-C ends this.");
    }
}
