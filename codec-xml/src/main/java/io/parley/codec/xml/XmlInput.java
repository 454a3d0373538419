package io.parley.codec.xml;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;

/**
 * The input stream of the parser. It limits the bytes of one markup item (a tag, a comment or a processing
 * instruction), and thereby the memory that the parser uses before it reports the item.
 */
final class XmlInput extends InputStream {
    private static final int BLOCK_BYTES = 64 * 1024;

    private final ByteBuf source;
    private final int maxMarkupBytes;
    /** The index in the source of the next block. */
    private int sourceAt;

    private final int sourceEnd;
    /** The array of the source, or a copy of one block of it. */
    private final byte[] block;

    private int at;
    private int end;
    private int budget;

    /** Reads the readable bytes without changing the indices. {@code source} is borrowed until the parser is closed. */
    XmlInput(ByteBuf source, int maxMarkupBytes) {
        this.source = source;
        this.maxMarkupBytes = maxMarkupBytes;
        this.sourceEnd = source.writerIndex();
        if (source.hasArray()) {
            block = source.array();
            at = source.arrayOffset() + source.readerIndex();
            end = at + source.readableBytes();
            sourceAt = sourceEnd;
        } else {
            block = new byte[Math.min(BLOCK_BYTES, source.readableBytes())];
            sourceAt = source.readerIndex();
        }
        budget = maxMarkupBytes;
    }

    /** Restores the full budget. Must be called after the parser has reported an item. */
    void beginItem() {
        budget = maxMarkupBytes;
    }

    /** Returns how many bytes have not been read. */
    int remainingBytes() {
        return end - at + sourceEnd - sourceAt;
    }

    int maxMarkupBytes() {
        return maxMarkupBytes;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (at == end && !fillBlock()) {
            return -1;
        }
        int read = Math.min(Math.min(length, end - at), budget);
        if (read == 0) {
            throw new MarkupTooLongException();
        }
        System.arraycopy(block, at, target, offset, read);
        at += read;
        budget -= read;
        return read;
    }

    private boolean fillBlock() {
        int length = Math.min(block.length, sourceEnd - sourceAt);
        source.getBytes(sourceAt, block, 0, length);
        sourceAt += length;
        at = 0;
        end = length;
        return length > 0;
    }

    /** Is the cause of the exception that the parser throws. */
    static final class MarkupTooLongException extends IOException {
        private static final long serialVersionUID = 1L;

        MarkupTooLongException() {
            super("markup item exceeds the limit");
        }
    }
}
