package io.parley.bench.sockets;

import io.parley.bench.stream.StreamEnd;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** An end of a stream with the API of {@code java.net.Socket}, whoever implements it. */
public final class SocketStreamEnd implements StreamEnd {

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    /** Creates the end of a connected socket. Takes ownership of {@code socket}. */
    public SocketStreamEnd(Socket socket) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    @Override
    public void write(byte[] block, int length) throws IOException {
        out.write(block, 0, length);
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void read(byte[] block, int length) throws IOException {
        for (int offset = 0; offset < length; ) {
            int bytes = in.read(block, offset, length - offset);
            if (bytes < 0) {
                throw new EOFException("stream: closed by the other process");
            }
            offset += bytes;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
