package io.parley.examples;

import io.parley.PeerBuilder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Where a peer listens. */
final class ListenOptions {

    @ArgGroup
    private @Nullable ListenAddress where;

    /** One way or the other to say it. */
    static final class ListenAddress {
        @Option(
                names = "--port",
                paramLabel = "PORT",
                description = "Listen on this TCP port of all addresses of this machine. Default: any free one")
        private @Nullable Integer port;

        @Option(
                names = "--address",
                paramLabel = "ADDRESS",
                description = "Listen there and nowhere else, such as tcp://127.0.0.1:9701; may be repeated.")
        private List<String> addresses = new ArrayList<>();
    }

    /** The builder with what was asked for; any free port when nothing was. */
    PeerBuilder applyTo(PeerBuilder builder) {
        return applyTo(builder, 0);
    }

    /** Same, with the port that is taken when nothing was asked for. */
    PeerBuilder applyTo(PeerBuilder builder, int defaultPort) {
        addresses(defaultPort).forEach(builder::listen);
        return builder;
    }

    private List<String> addresses(int defaultPort) {
        if (where != null && !where.addresses.isEmpty()) {
            return where.addresses;
        }
        int port = where == null || where.port == null ? defaultPort : where.port;
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("--port: " + port + " (expected: 0 to 65535)");
        }
        return List.of("tcp://0.0.0.0:" + port);
    }
}
