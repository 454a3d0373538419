package io.parley.examples;

import io.parley.examples.console.UsageException;
import io.parley.examples.forward.ConnectionForwarder;
import picocli.CommandLine.Option;

/** The bound on forwarded connections. */
final class MaxConnectionsOption {

    private static final int LARGEST = 4096;

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            description = "Maximum number of connections at the same time; further ones are refused. Default: "
                    + ConnectionForwarder.MAX_CONNECTIONS)
    private int maxConnections = ConnectionForwarder.MAX_CONNECTIONS;

    int value() {
        if (maxConnections < 1 || maxConnections > LARGEST) {
            throw new UsageException("--max-connections is " + maxConnections + ". Use 1 to " + LARGEST + ".");
        }
        return maxConnections;
    }
}
