package io.parley.codec.xml;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;

/**
 * The bytes of a document for the parser, which gets only so many for one piece of markup: whatever the parser collects
 * before it gives a tag, a comment or the like away is bounded by that.
 */
final class XmlInput extends InputStream {
    private static final int BLOCK_BYTES = 64 * 1024;

    private final ByteBuf source;
    private final int maxPieceBytes;
    /** What comes next from the source. */
    private int sourceAt;

    private final int sourceEnd;
    /** The source's own array, or a block that was copied from it. */
    private final byte[] block;

    private int at;
    private int end;
    private int budget;

    /** Reads what is readable (borrowed until the parsing ends); the indices stay as they are. */
    XmlInput(ByteBuf source, int maxPieceBytes) {
        this.source = source;
        this.maxPieceBytes = maxPieceBytes;
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
        budget = maxPieceBytes;
    }

    /** Tells that the parser has given away what it had collected. */
    void beginPiece() {
        budget = maxPieceBytes;
    }

    int maxPieceBytes() {
        return maxPieceBytes;
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

    /** Comes out of the parser as the cause of its exception. */
    static final class MarkupTooLongException extends IOException {
        private static final long serialVersionUID = 1L;

        MarkupTooLongException() {
            super("too long");
        }
    }
}
