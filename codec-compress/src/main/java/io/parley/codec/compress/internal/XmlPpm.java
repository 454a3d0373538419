package io.parley.codec.compress.internal;

import java.nio.ByteBuffer;

/**
 * A compression after XMLPPM (Cheney: Compressing XML with Multiplexed Hierarchical PPM Models, DCC 2001). A document becomes symbols of its
 * structure, of start tags and of values, which {@link XmlModel} predicts. Where XMLPPM takes the prediction of the longest known context,
 * {@link ContextMixer} mixes those of several contexts.
 */
final class XmlPpm implements XmlCompression {

    /** The largest document. A byte of it takes up to about a microsecond. */
    static final int MAX_DOCUMENT_BYTES = 1 << 20;

    /**
     * A document is at most this many times as large as its compressed form and {@link #FREE_BYTES}. Bounds the processor time that a byte of
     * a remote peer costs.
     */
    private static final int MAX_RATIO = 64;

    private static final int FREE_BYTES = 16;

    /** Symbols of the structure. Those from {@link #FIRST_TOKEN} on stand for names of elements, and white space, that have occurred. */
    static final int END = 0;

    static final int UNUSUAL_END = 1;
    static final int TEXT = 2;
    static final int COMMENT = 3;
    static final int CDATA = 4;
    static final int INSTRUCTION = 5;
    static final int ELEMENT = 6;
    static final int EMPTY_ELEMENT = 7;
    static final int BLANK = 8;
    static final int FIRST_TOKEN = 9;

    /** Symbols of a start tag. Those from {@link #FIRST_ATTRIBUTE} on stand for names of attributes that have occurred. */
    static final int END_OF_TAG = 0;

    static final int REST_OF_TAG = 1;
    static final int ATTRIBUTE = 2;
    static final int APOSTROPHE_ATTRIBUTE = 3;
    static final int FIRST_ATTRIBUTE = 4;

    /** The largest number of tokens, and of attributes. A further one is written each time. */
    static final int MAX_TOKENS = 240;

    /** The number of a token, or an attribute, that is written each time. */
    static final int UNNUMBERED = MAX_TOKENS;

    /** Values that do not depend on the path, beside those of new tokens, which have their symbol. */
    static final int PROLOGUE = 20;

    static final int EPILOGUE = 21;
    static final int ATTRIBUTE_NAME = 22;
    static final int TAG = 23;

    /** A value ends with this byte, which a document cannot contain. */
    static final int TERMINATOR = 0;

    @Override
    public boolean compress(byte[] document, GrowingArray out) {
        int from = out.length();
        BitEncoder coder = new BitEncoder(out);
        return XmlReader.read(document, new XmlPpmEncoder(new XmlModel(coder, document.length)))
                && coder.end(from)
                && document.length <= maxDocumentBytes(out.length() - from);
    }

    private static long maxDocumentBytes(int compressedBytes) {
        return MAX_RATIO * (FREE_BYTES + (long) compressedBytes);
    }

    @Override
    public void expand(ByteBuffer in, GrowingArray out) {
        if (out.room() > maxDocumentBytes(in.remaining())) {
            throw Malformed.because("XML of " + out.room() + " bytes in " + in.remaining() + " (expected: <= "
                    + maxDocumentBytes(in.remaining()) + ")");
        }
        if (in.hasRemaining() && in.get(in.limit() - 1) == 0) {
            throw Malformed.because("a zero at the end of the compressed data");
        }
        new XmlPpmDecoder(new XmlModel(new BitDecoder(in), out.room()), out).decode();
        if (in.hasRemaining()) {
            throw Malformed.because(in.remaining() + " bytes behind the compressed data");
        }
    }
}
