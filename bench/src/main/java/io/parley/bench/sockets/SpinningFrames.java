package io.parley.bench.sockets;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import io.parley.bench.netty.IdleStrategy;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * Reads and writes length-prefixed frames on a non-blocking channel. A thread that waits for bytes reads again and again for
 * the same time as the event loops of Parley's TCP transport, and then sleeps in a selector. A thread that waits for space
 * to write sleeps at once. Bytes go through a direct buffer, as those of a {@code java.net.Socket} do.
 */
final class SpinningFrames implements FrameConnection {

    private static final int BUFFER_BYTES = 128 << 10;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final SelectStrategy strategy = IdleStrategy.SPIN.factory().newSelectStrategy();
    private final IntSupplier reader = this::readAvailable;
    private byte[] received = new byte[0];

    SpinningFrames(SocketChannel channel) throws IOException {
        this.channel = channel;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        this.selector = Selector.open();
        this.key = channel.register(selector, SelectionKey.OP_READ);
    }

    @Override
    public void write(byte[] frame) throws IOException {
        for (int offset = 0; offset < frame.length; offset += BUFFER_BYTES) {
            out.clear()
                    .put(frame, offset, Math.min(BUFFER_BYTES, frame.length - offset))
                    .flip();
            while (out.hasRemaining()) {
                if (channel.write(out) == 0) {
                    sleepUntil(SelectionKey.OP_WRITE);
                }
            }
        }
    }

    @Override
    public byte[] read() throws IOException {
        while (in.remaining() < Integer.BYTES) {
            awaitBytes();
        }
        int length = in.getInt();
        if (received.length != Integer.BYTES + length) {
            received = new byte[Integer.BYTES + length];
            ByteBuffer.wrap(received).putInt(length);
        }
        int offset = Integer.BYTES;
        while (offset < received.length) {
            if (!in.hasRemaining()) {
                awaitBytes();
            }
            int bytes = Math.min(in.remaining(), received.length - offset);
            in.get(received, offset, bytes);
            offset += bytes;
        }
        return received;
    }

    /** Waits until at least one byte has been read. */
    private void awaitBytes() throws IOException {
        int state = strategy(reader);
        while (state <= 0) {
            if (state == SelectStrategy.SELECT) {
                sleepUntil(SelectionKey.OP_READ);
                state = readAvailable();
            } else {
                state = strategy(reader);
            }
        }
    }

    private int strategy(IntSupplier ready) throws IOException {
        try {
            return strategy.calculateStrategy(ready, false);
        } catch (IOException | RuntimeException failed) {
            throw failed;
        } catch (Exception impossible) {
            throw new IllegalStateException("wait strategy: failed", impossible);
        }
    }

    /** Adds the bytes that have arrived to {@link #in}, which has less than a length in it. Returns their number. */
    private int readAvailable() throws IOException {
        in.compact();
        int bytes = channel.read(in);
        in.flip();
        if (bytes < 0) {
            throw new EOFException("connection: closed by the other process");
        }
        return bytes;
    }

    private void sleepUntil(int operation) throws IOException {
        key.interestOps(operation);
        selector.select();
        selector.selectedKeys().clear();
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
