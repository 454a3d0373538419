package io.parley.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.opentest4j.TestAbortedException;

/** The network 127.0.0.0/8, from whose addresses a test connects as several hosts. Linux has all of them, some systems only one. */
public final class LoopbackNetwork {

    private static final String ADDRESS = "127.66.0.1";

    private LoopbackNetwork() {}

    /** @throws TestAbortedException if this system has only one loopback address */
    public static void assumeAvailable() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(ADDRESS))) {
            socket.getLocalPort();
        } catch (IOException e) {
            throw new TestAbortedException(
                    "this system has no address " + ADDRESS + "; it needs all of 127.0.0.0/8", e);
        }
    }
}
