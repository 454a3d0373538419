package io.parley.bench.stream;

import java.nio.file.Path;

/**
 * Where a process of a contender runs.
 *
 * @param host the address of the network interface to listen on
 * @param home an empty directory that only this process uses
 */
public record StreamSite(String host, Path home) {

    /** The address of the loopback interface. */
    public static final String LOOPBACK = "127.0.0.1";
}
