package io.parley.codec.compress.internal;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.Deflater;

/**
 * A compression after TREECHOP (Leighton, Müldner, Diamond: TREECHOP: A Tree-Based Query-able Compressor for XML, CWIT 2005). The nodes
 * of a document are written in its order, each as the codeword of its path ({@link TreechopPath}); a path that is new is followed by its
 * kind and label. The result is compressed by deflate. The publications leave the layout of the bytes open; docs/wire-format.md has it.
 */
final class Treechop implements XmlCompression {

    /** The largest document. */
    static final int MAX_DOCUMENT_BYTES = 1 << 24;

    /** The largest number of different paths of any document. */
    static final int MAX_PATHS = 1 << 16;

    /** Documents of fewer bytes for each path do not become much smaller, and a path takes more than a hundred bytes of memory. */
    private static final int MIN_BYTES_PER_PATH = 16;

    /** The number of paths that a small document may have in any case. */
    private static final int FREE_PATHS = 64;

    /** The first byte of a node: a text, until the next 0. A number up to {@link TreechopPath#MAX_BITS} is that of the bits of a codeword. */
    static final int TEXT = 0;

    static final int REST_OF_TAG = 253;
    static final int UNUSUAL_END = 254;
    static final int END = 255;

    /** A text and a label end with this byte, which a document cannot contain. */
    static final int TERMINATOR = 0;

    @Override
    public boolean compress(byte[] document, GrowingArray out) {
        TreechopEncoder encoder = new TreechopEncoder(document.length);
        return XmlReader.read(document, encoder)
                && encoder.isComplete()
                && RawDeflate.compress(List.of(ByteBuffer.wrap(encoder.nodes())), Deflater.BEST_COMPRESSION, out);
    }

    @Override
    public void expand(ByteBuffer in, GrowingArray out) {
        int expected = (int) Math.min(maxNodeBytes(out.room()), 4L * Math.min(in.remaining(), 1 << 24));
        GrowingArray nodes = new GrowingArray(0, maxNodeBytes(out.room()), expected);
        if (!RawDeflate.expand(in, nodes)) {
            throw Malformed.because("more than " + maxNodeBytes(out.room()) + " bytes of nodes");
        }
        if (in.hasRemaining()) {
            throw Malformed.because(in.remaining() + " bytes behind the compressed data");
        }
        new TreechopDecoder(nodes.toArray(0), out).decode();
    }

    /** Returns the largest number of bytes of the nodes of a document. Those of most documents have fewer bytes than the document. */
    static int maxNodeBytes(int documentBytes) {
        return 2 * documentBytes + 64;
    }

    /** Returns the largest number of different paths of a document. */
    static int maxPaths(int documentBytes) {
        return Math.min(MAX_PATHS, FREE_PATHS + documentBytes / MIN_BYTES_PER_PATH);
    }
}
