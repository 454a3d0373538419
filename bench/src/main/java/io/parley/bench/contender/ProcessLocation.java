package io.parley.bench.contender;

import java.nio.file.Path;

/**
 * Where a process of a contender lives.
 *
 * @param advertisedPort the port at which others reach what listens here, because something that counts bytes stands
 *     in front; 0 for the real port
 * @param home an empty folder of this process alone
 */
public record ProcessLocation(int advertisedPort, Path home) {

    /** The port to name to others when {@code port} is the one listened on. */
    public int advertised(int port) {
        return advertisedPort == 0 ? port : advertisedPort;
    }
}
