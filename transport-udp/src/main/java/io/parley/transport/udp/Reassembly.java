package io.parley.transport.udp;

import java.net.InetAddress;
import java.util.Arrays;

/** A message of which some pieces have come. */
final class Reassembly {

    /** What an object of this class costs beside its pieces, roughly. */
    private static final int OVERHEAD_BYTES = 256;

    private static final int BYTES_PER_PIECE = 32;

    /** Stands for a piece that is missing; no real one is empty. */
    private static final byte[] MISSING = {};

    private final InetAddress source;
    private final long beganNanos;
    private final byte[][] pieces;
    private int missing;
    private int pieceBytes;

    Reassembly(InetAddress source, int count, long beganNanos) {
        this.source = source;
        this.beganNanos = beganNanos;
        this.pieces = new byte[count][];
        Arrays.fill(pieces, MISSING);
        this.missing = count;
    }

    InetAddress source() {
        return source;
    }

    long beganNanos() {
        return beganNanos;
    }

    /** What it takes in memory. */
    int heldBytes() {
        return OVERHEAD_BYTES + BYTES_PER_PIECE * pieces.length + pieceBytes;
    }

    /** Keeps the piece; of two for the same place, the first. */
    void add(Datagram datagram) {
        if (pieces[datagram.index()].length == 0) {
            pieces[datagram.index()] = datagram.piece();
            pieceBytes += datagram.piece().length;
            missing--;
        }
    }

    boolean isComplete() {
        return missing == 0;
    }

    /** The message, which has to be complete. */
    byte[] message() {
        byte[] message = new byte[pieceBytes];
        int at = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, message, at, piece.length);
            at += piece.length;
        }
        return message;
    }
}
