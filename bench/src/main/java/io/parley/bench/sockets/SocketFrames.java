package io.parley.bench.sockets;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;

/**
 * Reads and writes length-prefixed frames on a socket. One read gets many small frames; a large frame is read directly
 * into its array. Each frame is written with one call, with its length in front of it in the same array.
 */
final class SocketFrames {

    private static final int READ_BUFFER_BYTES = 64 << 10;

    private final DataInputStream in;
    private final OutputStream out;
    private byte[] received = new byte[0];

    SocketFrames(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), READ_BUFFER_BYTES));
        this.out = socket.getOutputStream();
    }

    /** Returns the frame of {@code payload}. */
    static byte[] frame(byte[] payload) {
        return ByteBuffer.allocate(Integer.BYTES + payload.length)
                .putInt(payload.length)
                .put(payload)
                .array();
    }

    void write(byte[] frame) throws IOException {
        out.write(frame);
    }

    /** Returns the next frame with its length, in an array that the next call of this method may reuse. */
    byte[] read() throws IOException {
        int length = in.readInt();
        int bytes = Integer.BYTES + length;
        if (received.length != bytes) {
            received = new byte[bytes];
            ByteBuffer.wrap(received).putInt(length);
        }
        in.readFully(received, Integer.BYTES, length);
        return received;
    }
}
