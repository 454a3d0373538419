package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.console.UsageException;
import io.parley.examples.forward.ConnectionForwarder;
import io.parley.examples.forward.ConnectionLog;
import io.parley.examples.forward.TcpTarget;
import io.parley.id.PeerId;
import io.parley.pipes.PipeTicket;
import io.parley.sockets.PeerServerSocket;
import io.parley.sockets.PeerSockets;
import io.parley.sockets.ServiceHost;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Offers a TCP port of this machine to other peers. */
@Command(
        name = "serve",
        description = {
            "Offer a TCP port of this machine to the peers of --allow, or to the holders of a ticket.",
            "Each connection of \"parley forward connect\" there becomes one to HOST:PORT here. No other peer gets in. Runs until"
                    + " it is interrupted."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  parley forward serve db localhost:5432 --allow PEER --home ~/.parley",
            "  parley forward serve ssh 22 --ticket",
            "The id of a peer is what \"parley id\" prints on its machine."
        },
        mixinStandardHelpOptions = true)
final class ForwardServeCommand implements Callable<Integer> {

    private static final String PEER_ID_HELP =
            "Use what \"parley id\" prints on the other machine; a name is no proof.";

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private HostOptions host = new HostOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Mixin
    private MaxConnectionsOption maxConnections = new MaxConnectionsOption();

    @Option(names = "--name", paramLabel = "NAME", description = "Name of this peer. " + PeerDefaults.NAME_HELP)
    private @Nullable String name;

    @ArgGroup(multiplicity = "1")
    private Access access = new Access();

    /** Which peers may connect. */
    static final class Access {
        @Option(
                names = "--allow",
                paramLabel = "PEER",
                split = ",",
                description =
                        "Id of a peer that may connect, or several with commas in between. May be repeated. These peers"
                                + " find the service by its name.")
        private List<String> allow = new ArrayList<>();

        @Option(
                names = "--ticket",
                description = "Print a secret ticket, with which every peer may connect. The service has no name in the"
                        + " network. The ticket stays valid for the same SERVICE, --home and --port.")
        private boolean ticket;
    }

    @Parameters(
            index = "0",
            paramLabel = "SERVICE",
            description = "Name of the service: lower-case letters, digits, - and _.")
    private String service = "";

    @Parameters(
            index = "1",
            paramLabel = "HOST:PORT",
            description = "TCP port to which connections go, such as localhost:5432; a PORT alone is of localhost.")
    private String target = "";

    @Override
    public Integer call() throws IOException {
        Console console = common.console();
        TcpTarget tcp = TcpTarget.parse(target);
        String valid = serviceHost(service).service();
        int max = maxConnections.value();
        Set<PeerId> allowed =
                access.allow.stream().map(ForwardServeCommand::peerId).collect(Collectors.toSet());
        if (allowed.isEmpty() && !access.ticket) { // the value is a comma
            throw new UsageException("--allow has no peer id. " + PEER_ID_HELP);
        }
        try (ShutdownSignal shutdown = ShutdownSignal.start();
                Peer peer = access.ticket ? host.start() : host.startDiscoverable(name);
                PeerServerSocket server = access.ticket ? listenForTicket(peer, valid) : listen(peer, valid, allowed);
                ConnectionForwarder forwarder =
                        ConnectionForwarder.start(server, tcp, max, new ConnectionLog(console::notice))) {
            announce(console, peer, server, tcp);
            shutdown.whenRequested().join();
        }
        return 0;
    }

    /** Returns the host of a service of any peer. */
    static ServiceHost serviceHost(String name) {
        try {
            return ServiceHost.of(name);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "Not a name of a service: " + TextFormatter.oneLine(name)
                            + ". Use lower-case letters, digits, - and _.",
                    e);
        }
    }

    private static PeerId peerId(String text) {
        try {
            return PeerId.parse(text.strip());
        } catch (IllegalArgumentException e) {
            throw new UsageException("Not a peer id: " + TextFormatter.oneLine(text) + ". " + PEER_ID_HELP, e);
        }
    }

    private PeerServerSocket listen(Peer peer, String valid, Set<PeerId> allowed) throws IOException {
        return limited(PeerSockets.of(group.join(peer)))
                .withAllowedPeers(allowed::contains)
                .listen(valid);
    }

    private PeerServerSocket listenForTicket(Peer peer, String valid) throws IOException {
        return limited(PeerSockets.of(peer))
                .listen(SecretPipeIds.of(peer.identity(), "forward " + valid, List.of()), valid);
    }

    private PeerSockets limited(PeerSockets sockets) {
        int max = maxConnections.value();
        return sockets.withLimits(ConnectionForwarder.socketLimits(host.reconnectTimeout()).toBuilder()
                .maxSockets(
                        max + max / 3 * 2) // three fifths are for one host: the forwarder limits the connections of all
                .maxSocketsPerPeer(max)
                .build());
    }

    private void announce(Console console, Peer peer, PeerServerSocket server, TcpTarget tcp) throws IOException {
        JsonObject ready = JsonObject.object()
                .add("event", "ready")
                .add("service", service)
                .add("target", tcp.toString())
                .add("peer", peer.id().text());
        String argument;
        if (access.ticket) {
            argument = new PipeTicket(server.ticket().pipe(), peer.address()).toString();
            ready.add("ticket", argument);
        } else {
            argument = server.host().toString();
            ready.add("host", argument);
        }
        console.result(
                ready,
                "Forwarding the service " + service + " to " + tcp
                        + ". On the other machine, run:\n\n  parley forward connect " + argument + "\n");
    }
}
