package io.parley.examples;

import io.parley.PeerBuilder;
import io.parley.examples.console.UsageException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** The addresses on which a peer listens, its relays, and the addresses at which something else passes connections on to it. */
final class ListenOptions {

    @ArgGroup
    private @Nullable ListenAddress listen;

    @Option(
            names = "--public-address",
            paramLabel = "ADDRESS",
            description = "Address that other peers connect to first, at which a router or a reverse proxy passes"
                    + " connections on to this peer, such as https://peer.example.org:443. May be repeated.")
    private List<String> publicAddresses = new ArrayList<>();

    @Option(
            names = "--relay",
            paramLabel = "ADDRESS",
            description =
                    "Address of a relay, such as tcp://relay.example.org:9702, through which other peers reach this"
                            + " one if they cannot connect to it. May be repeated.")
    private List<String> relays = new ArrayList<>();

    /** A port or addresses; the two exclude each other. */
    static final class ListenAddress {
        @Option(
                names = "--port",
                paramLabel = "PORT",
                description = "TCP port to listen on, on all addresses of this machine. Default: "
                        + RendezvousCommand.PORT + " for a rendezvous, " + RelayCommand.PORT
                        + " for a relay, any free port for other commands")
        private @Nullable Integer port;

        @Option(
                names = "--address",
                paramLabel = "ADDRESS",
                description =
                        "Address to listen on instead, such as tcp://127.0.0.1:9701 or http://0.0.0.0:8080. May be repeated.")
        private List<String> addresses = new ArrayList<>();
    }

    /** Adds the selected addresses to a builder; any free port if none was selected. */
    PeerBuilder applyTo(PeerBuilder builder) {
        return applyTo(builder, 0);
    }

    /** Adds the selected addresses to a builder; {@code defaultPort} if none was selected. */
    PeerBuilder applyTo(PeerBuilder builder, int defaultPort) {
        addresses(defaultPort).forEach(builder::listen);
        publicAddresses.forEach(builder::publicAddress);
        relays.forEach(builder::relay);
        return builder;
    }

    private List<String> addresses(int defaultPort) {
        if (listen != null && !listen.addresses.isEmpty()) {
            return listen.addresses;
        }
        int port = listen == null || listen.port == null ? defaultPort : listen.port;
        if (port < 0 || port > 65535) {
            throw new UsageException("--port is " + port + ". Use 0 to 65535.");
        }
        return List.of("tcp://0.0.0.0:" + port);
    }
}
