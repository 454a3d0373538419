package io.parley.examples;

import io.parley.Peer;
import io.parley.PeerBuilder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that wait for others: an identity that lasts, and where to listen. */
final class HostOptions {

    @Option(
            names = "--home",
            paramLabel = "DIR",
            description = "Where this peer's identity is kept; made when it is missing. Default: ~/.parley")
    private @Nullable Path home;

    @Mixin
    private CodecOptions codecs = new CodecOptions();

    @ArgGroup
    private @Nullable Where where;

    /** One way or the other to say where to listen. */
    static final class Where {
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

    /** Where the identity is kept. */
    Path home() {
        return Homes.orDefault(home);
    }

    /** In which formats to talk. */
    CodecOptions codecs() {
        return codecs;
    }

    /** Starts the peer. */
    Peer start() {
        PeerBuilder builder = codecs.applyTo(Homes.patient(Peer.builder()).home(home()));
        addresses().forEach(builder::listen);
        return builder.start();
    }

    private List<String> addresses() {
        if (where != null && !where.addresses.isEmpty()) {
            return where.addresses;
        }
        int port = where == null || where.port == null ? 0 : where.port;
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("--port: " + port + " (expected: 0 to 65535)");
        }
        return List.of("tcp://0.0.0.0:" + port);
    }
}
