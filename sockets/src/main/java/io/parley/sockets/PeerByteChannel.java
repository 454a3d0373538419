package io.parley.sockets;

import io.parley.id.PeerId;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.time.Duration;

/**
 * A byte channel to a service of a peer, in blocking mode: a {@link PeerSocket} for programs with buffers and files. Reads have no
 * timeout. See {@link PeerSocket#byteChannel}.
 */
public final class PeerByteChannel implements ByteChannel {

    private static final int FILE_BUFFER_BYTES = 128 * 1024;

    private final PeerSocket socket;
    private final PeerStream stream;

    PeerByteChannel(PeerSocket socket, PeerStream stream) {
        this.socket = socket;
        this.stream = stream;
    }

    /** Returns the socket. */
    public PeerSocket socket() {
        return socket;
    }

    /** Returns the remote peer, authenticated by its connection. */
    public PeerId remotePeer() {
        return stream.remotePeer();
    }

    /**
     * Reads the bytes that have arrived, as many as fit. Waits for the first one.
     *
     * @return the number of bytes; -1 at the end of the stream
     * @throws ClosedChannelException if this channel is closed; {@link AsynchronousCloseException} if it is closed while this call waits;
     *     {@link ClosedByInterruptException} if this call waits on a virtual thread that is interrupted, which closes this channel
     * @throws java.net.SocketException if the remote peer is lost or has reset the stream
     */
    @Override
    public int read(ByteBuffer target) throws IOException {
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("target: a read-only buffer (expected: one that can be written)");
        }
        requireOpen();
        try {
            return stream.read(target, Duration.ZERO);
        } catch (IOException e) {
            throw orClosed(e);
        }
    }

    /**
     * Writes the remaining bytes of the buffer. Waits until the last of them is queued.
     *
     * @return the number of bytes, which is always that of the remaining ones
     * @throws ClosedChannelException if this channel is closed; {@link AsynchronousCloseException} if it is closed while this call waits;
     *     {@link ClosedByInterruptException} if this call waits on a virtual thread that is interrupted, which closes this channel
     * @throws java.net.SocketException if the remote peer is lost or has reset the stream
     */
    @Override
    public int write(ByteBuffer source) throws IOException {
        requireOpen();
        int count = source.remaining();
        try {
            stream.write(source);
            return count;
        } catch (IOException e) {
            throw orClosed(e);
        }
    }

    /**
     * Sends a region of a file, as {@link FileChannel#transferTo} does.
     *
     * @param position the position in the file; that of the file channel does not change
     * @param count    the maximum number of bytes
     * @return the number of bytes that were sent: fewer than {@code count} if the file ends
     * @throws IOException as {@link #write}, or because the file cannot be read
     */
    public long transferFrom(FileChannel file, long position, long count) throws IOException {
        requireRange(position, count);
        ByteBuffer buffer = ByteBuffer.allocateDirect(bufferSize(count));
        long sent = 0;
        while (sent < count) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), count - sent));
            int read = file.read(buffer, position + sent);
            if (read < 0) {
                break;
            }
            write(buffer.flip());
            sent += read;
        }
        return sent;
    }

    /**
     * Receives into a region of a file, as {@link FileChannel#transferFrom} does.
     *
     * @param position the position in the file; that of the file channel does not change
     * @param count    the maximum number of bytes
     * @return the number of bytes that were received: fewer than {@code count} if the stream ends; none if the position is beyond the
     *     end of the file
     * @throws java.nio.channels.NonWritableChannelException if the file is not open for writing; then no byte of the stream is lost
     * @throws IOException as {@link #read}, or because the file cannot be written
     */
    public long transferTo(FileChannel file, long position, long count) throws IOException {
        requireRange(position, count);
        requireOpen();
        file.write(ByteBuffer.allocate(0), position); // fails before bytes are read that it could not take
        if (position > file.size()) {
            return 0;
        }
        ByteBuffer buffer = ByteBuffer.allocateDirect(bufferSize(count));
        long received = 0;
        while (received < count) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), count - received));
            if (read(buffer) < 0) {
                break;
            }
            buffer.flip();
            while (buffer.hasRemaining()) {
                received += file.write(buffer, position + received);
            }
        }
        return received;
    }

    private static void requireRange(long position, long count) {
        if (position < 0 || count < 0) {
            throw new IllegalArgumentException(
                    "position, count: " + position + ", " + count + " (expected: both >= 0)");
        }
    }

    private static int bufferSize(long count) {
        return (int) Math.max(1, Math.min(FILE_BUFFER_BYTES, count));
    }

    /** Ends the direction to the remote peer after the bytes that were written. Bytes can still be read. */
    public void shutdownOutput() throws IOException {
        requireOpen();
        if (!socket.isOutputShutdown()) {
            socket.shutdownOutput();
        }
    }

    private void requireOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private IOException orClosed(IOException failure) throws IOException {
        if (failure instanceof InterruptedIOException) { // of a virtual thread, as with the streams of a socket
            close();
            return new ClosedByInterruptException();
        }
        return isOpen() ? failure : new AsynchronousCloseException();
    }

    @Override
    public boolean isOpen() {
        return !socket.isClosed();
    }

    /** Closes the socket. See {@link PeerSocket}. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
