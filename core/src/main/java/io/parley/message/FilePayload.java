package io.parley.message;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A region of a file. Each read opens the file, so a message holds no file descriptor. */
final class FilePayload implements Payload {
    private static final int COPY_BYTES = 64 * 1024;

    private final Path path;
    private final long offset;
    private final long size;

    private FilePayload(Path path, long offset, long size) {
        this.path = path;
        this.offset = offset;
        this.size = size;
    }

    static Payload whole(Path path) throws IOException {
        return new FilePayload(path, 0, sizeOf(path));
    }

    static Payload region(Path path, long offset, long length) throws IOException {
        long fileSize = sizeOf(path);
        if (offset < 0 || length < 0 || length > fileSize - offset) {
            throw new IllegalArgumentException("region: " + offset + " + " + length + " (expected: inside the "
                    + fileSize + " bytes of " + path + ")");
        }
        return new FilePayload(path, offset, length);
    }

    private static long sizeOf(Path path) throws IOException {
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new IllegalArgumentException("path: " + path + " (expected: a regular file)");
        }
        return Files.size(path);
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public boolean hasArray() {
        return false;
    }

    @Override
    public byte[] array() {
        throw new UnsupportedOperationException("file payload: has no array: " + path);
    }

    @Override
    public int arrayOffset() {
        throw new UnsupportedOperationException("file payload: has no array: " + path);
    }

    @Override
    public boolean hasBuffer() {
        return false;
    }

    @Override
    public void readInto(ByteBuffer target, long position) {
        if (position < 0 || target.remaining() > size - position) {
            throw new IllegalArgumentException(
                    "position: " + position + " + " + target.remaining() + " (expected: inside " + size + " bytes)");
        }
        long start = offset + position - target.position();
        boolean interrupted = false;
        try {
            while (!tryRead(target, start)) {
                interrupted = true;
            }
        } catch (IOException e) {
            throw unreadable(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Fills a buffer, whose index 0 is at {@code start} in the file. Returns {@code false} if an interrupt has closed the file meanwhile,
     * which says nothing about the message; the thread no longer sees it then. The buffer may have got bytes before.
     */
    private boolean tryRead(ByteBuffer target, long start) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            while (target.hasRemaining()) {
                long from = start + target.position();
                if (channel.read(target, from) < 0) {
                    throw truncated(from);
                }
            }
            return true;
        } catch (ClosedByInterruptException e) {
            Thread.interrupted();
            return false;
        }
    }

    @Override
    public void writeTo(OutputStream target) throws IOException {
        byte[] chunk = new byte[(int) Math.min(size, COPY_BYTES)];
        for (long done = 0; done < size; ) {
            int length = (int) Math.min(chunk.length, size - done);
            readInto(ByteBuffer.wrap(chunk, 0, length), done);
            target.write(chunk, 0, length);
            done += length;
        }
    }

    @Override
    public byte[] toByteArray() {
        if (size > MessageElement.MAX_ARRAY_BYTES) {
            throw ErrorCode.MESSAGE_TOO_LARGE.exception("payload in memory: " + size + " bytes of " + path
                    + " (expected: <= " + MessageElement.MAX_ARRAY_BYTES + "; read it as a stream)");
        }
        byte[] bytes = new byte[(int) size];
        readInto(ByteBuffer.wrap(bytes), 0);
        return bytes;
    }

    @Override
    public InputStream openStream() {
        try {
            FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
            try {
                return new RegionStream(Channels.newInputStream(channel.position(offset)));
            } catch (IOException e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private ParleyException truncated(long end) {
        return ErrorCode.NOT_ENCODABLE.exception(truncatedMessage(end));
    }

    private String truncatedMessage(long end) {
        return "file " + path + ": ends at byte " + end + " (expected: >= " + (offset + size)
                + ", its size when the message element was created)";
    }

    private ParleyException unreadable(IOException cause) {
        return ErrorCode.NOT_ENCODABLE.exception("file " + path + ": cannot be read: " + cause, cause);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FilePayload that
                && offset == that.offset
                && size == that.size
                && path.equals(that.path);
    }

    @Override
    public int hashCode() {
        return 31 * path.hashCode() + Long.hashCode(31 * offset + size);
    }

    @Override
    public String toString() {
        return size + " bytes of " + path;
    }

    /** A stream that ends at the end of the region and fails if the file is shorter. */
    private final class RegionStream extends InputStream {
        private final InputStream file;
        private long remaining = size;

        RegionStream(InputStream file) {
            this.file = file;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int start, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (remaining == 0) {
                return -1;
            }
            int read = file.read(target, start, (int) Math.min(length, remaining));
            if (read < 0) {
                throw new EOFException(truncatedMessage(offset + size - remaining));
            }
            remaining -= read;
            return read;
        }

        @Override
        public int available() throws IOException {
            return (int) Math.min(file.available(), remaining);
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
