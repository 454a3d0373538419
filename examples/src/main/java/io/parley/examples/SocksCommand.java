package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.forward.ConnectionForwarder;
import io.parley.examples.forward.ConnectionLog;
import io.parley.examples.socks.SocksConnector;
import io.parley.sockets.PeerSockets;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a SOCKS5 proxy to the services of peers. */
@Command(
        name = "socks",
        description = {
            "Run a SOCKS5 proxy, through which programs of this machine reach the services of other peers by host name.",
            "The host names are SERVICE.PEER.parley and SERVICE.parley, where PEER is a peer id; the port has no meaning. Other"
                    + " names and IP addresses are refused. The proxy listens on 127.0.0.1 only, without authentication, and"
                    + " supports CONNECT. Peers offer services with \"parley forward serve\" or a PeerServerSocket. Runs until it"
                    + " is interrupted."
        },
        footerHeading = "%nExample:%n",
        footer = {
            "  curl --socks5-hostname 127.0.0.1:1080 http://wiki.parley/",
            "The program must pass the name to the proxy and not look it up (socks5h)."
        },
        mixinStandardHelpOptions = true)
final class SocksCommand implements Callable<Integer> {

    private static final String LOOPBACK = "127.0.0.1";

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private GuestOptions guest = new GuestOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Mixin
    private MaxConnectionsOption maxConnections = new MaxConnectionsOption();

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "1080",
            description = "TCP port of the proxy; 0 selects any free port. Default: ${DEFAULT-VALUE}")
    private int port = 1080;

    @Override
    public Integer call() throws IOException {
        Console console = common.console();
        int max = maxConnections.value();
        try (ShutdownSignal shutdown = ShutdownSignal.start();
                ServerSocket server = ForwardConnectCommand.open(LOOPBACK, port);
                Peer peer = guest.startForSearch()) {
            PeerSockets sockets = PeerSockets.of(group.join(peer))
                    .withLimits(ConnectionForwarder.socketLimits(guest.reconnectTimeout()));
            try (ConnectionForwarder forwarder = ConnectionForwarder.start(
                    server, new SocksConnector(sockets, guest.timeout()), max, new ConnectionLog(console::notice))) {
                console.result(
                        JsonObject.object()
                                .add("event", "ready")
                                .add("address", LOOPBACK)
                                .add("port", server.getLocalPort())
                                .add("peer", peer.id().text()),
                        "SOCKS5 proxy at " + LOOPBACK + ":" + server.getLocalPort()
                                + " for names that end with .parley. Ctrl-C ends this.");
                shutdown.whenRequested().join();
            }
        }
        return 0;
    }
}
