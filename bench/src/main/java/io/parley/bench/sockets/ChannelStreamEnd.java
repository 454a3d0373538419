package io.parley.bench.sockets;

import io.parley.bench.stream.StreamEnd;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * An end of a stream over a blocking channel, with the code of the paper: one buffer of the size of the block, allocated before. A write
 * copies the array into the buffer; a read repeats channel read and copy until the block is whole.
 */
final class ChannelStreamEnd implements StreamEnd {

    private final SocketChannel channel;
    private final boolean direct;
    private ByteBuffer buffer;

    ChannelStreamEnd(SocketChannel channel, boolean direct) throws IOException {
        this.channel = channel;
        this.direct = direct;
        this.buffer = allocate(1 << 10);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    private ByteBuffer allocate(int bytes) {
        return direct ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
    }

    /** Returns the buffer with this limit. The first block of a size allocates it, which the warm-up includes. */
    private ByteBuffer buffer(int bytes) {
        if (buffer.capacity() < bytes) {
            buffer = allocate(bytes);
        }
        return buffer.clear().limit(bytes);
    }

    @Override
    public void write(byte[] block, int length) throws IOException {
        ByteBuffer out = buffer(length).put(block, 0, length).flip();
        while (out.hasRemaining()) {
            channel.write(out);
        }
    }

    @Override
    public void read(byte[] block, int length) throws IOException {
        for (int offset = 0; offset < length; ) {
            ByteBuffer in = buffer(length - offset);
            int bytes = channel.read(in);
            if (bytes < 0) {
                throw new EOFException("stream: closed by the other process");
            }
            in.flip().get(block, offset, bytes);
            offset += bytes;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
