package io.parley.bench.contender;

import java.nio.file.Path;

/**
 * The advertised port and the home directory of a contender process.
 *
 * @param advertisedPort the port at which other processes reach the listener of this one, if a counting proxy stands in
 *     front of it; 0 for the real port
 * @param home an empty directory that only this process uses
 */
public record ProcessLocation(int advertisedPort, Path home) {

    /** Returns the port to advertise if the process listens on {@code port}. */
    public int advertised(int port) {
        return advertisedPort == 0 ? port : advertisedPort;
    }
}
