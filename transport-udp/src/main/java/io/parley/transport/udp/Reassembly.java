package io.parley.transport.udp;

import java.net.InetAddress;
import java.util.Arrays;

/** The fragments of an incomplete message. */
final class Reassembly {

    /** The approximate memory of an object of this class without its fragments. */
    private static final int OVERHEAD_BYTES = 256;

    private static final int BYTES_PER_FRAGMENT = 32;

    /** Represents a missing fragment; a received one is never empty. */
    private static final byte[] MISSING = {};

    private final InetAddress source;
    private final long startNanos;
    private final byte[][] fragments;
    private int missing;
    private int fragmentBytes;

    Reassembly(InetAddress source, int count, long startNanos) {
        this.source = source;
        this.startNanos = startNanos;
        this.fragments = new byte[count][];
        Arrays.fill(fragments, MISSING);
        this.missing = count;
    }

    InetAddress source() {
        return source;
    }

    long startNanos() {
        return startNanos;
    }

    /** Returns the memory that it uses, in bytes. */
    int heldBytes() {
        return OVERHEAD_BYTES + BYTES_PER_FRAGMENT * fragments.length + fragmentBytes;
    }

    /** Adds a fragment. The first one with an index wins. */
    void add(Datagram datagram) {
        if (fragments[datagram.index()].length == 0) {
            fragments[datagram.index()] = datagram.fragment();
            fragmentBytes += datagram.fragment().length;
            missing--;
        }
    }

    boolean isComplete() {
        return missing == 0;
    }

    /** Returns the message, which must be complete. */
    byte[] message() {
        byte[] message = new byte[fragmentBytes];
        int at = 0;
        for (byte[] fragment : fragments) {
            System.arraycopy(fragment, 0, message, at, fragment.length);
            at += fragment.length;
        }
        return message;
    }
}
