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
final class SocketFrames implements FrameConnection {

    private static final int READ_BUFFER_BYTES = 64 << 10;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private byte[] received = new byte[0];

    SocketFrames(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), READ_BUFFER_BYTES));
        this.out = socket.getOutputStream();
    }

    @Override
    public void write(byte[] frame) throws IOException {
        out.write(frame);
    }

    @Override
    public byte[] read() throws IOException {
        int length = in.readInt();
        int bytes = Integer.BYTES + length;
        if (received.length != bytes) {
            received = new byte[bytes];
            ByteBuffer.wrap(received).putInt(length);
        }
        in.readFully(received, Integer.BYTES, length);
        return received;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
