package io.parley.codec.compress.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * Predicts the symbols of an XML document. There are three kinds, as in XMLPPM (Cheney: Compressing XML with Multiplexed Hierarchical PPM Models,
 * DCC 2001): symbols of the structure, symbols within a start tag, and bytes of values. Each kind has contexts of its own, and the path
 * of the present element is a part of many. Encoder and decoder call the same methods with the same values.
 */
final class XmlModel {

    private static final int STRUCTURE = 0;
    private static final int TAG = 1;

    /** Bytes of values: the first ones of a value have kinds of their own. */
    private static final int VALUE = 2;

    private static final int VALUE_KINDS = 4;
    private static final int CONTEXTS = 7;

    /** The logarithm of the number of entries of {@link #expected}. */
    private static final int EXPECTED_BITS = 12;

    private static final int MAX_RUN = 31;

    /** The declarations that most documents begin with. The model has seen them before the document. */
    private static final byte[][] KNOWN_PROLOGUES = {
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n".getBytes(US_ASCII),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".getBytes(US_ASCII)
    };

    /** The largest and the smallest logarithm of the number of histories of a context. */
    private static final int MAX_TABLE_BITS = 18;

    private static final int MIN_TABLE_BITS = 12;

    private final ContextMixer mixer;
    private final int[] contexts = new int[CONTEXTS];

    /** For each open element: a hash of its path, and of the last symbols of structure directly in it. Entry 0 is the document. */
    private final int[] path = new int[XmlReader.MAX_DEPTH + 1];

    private final int[] children = new int[XmlReader.MAX_DEPTH + 1];
    private int depth;

    /** For a hash of the path and of the symbols before: the symbol that followed last, and how often it did so in succession. */
    private final short[] expected = new short[1 << EXPECTED_BITS];

    private int lastStructure;
    private int lastInTag;
    private int lastValue;

    private int field;
    private int position;
    private int prefix;
    private int word;
    private int lastBytes;

    /**
     * Creates a model.
     *
     * @param documentBytes the size of the document. The model takes about 100 KB, and 112 bytes for each byte of the document up to 3.7 MB
     */
    XmlModel(BitCoder coder, int documentBytes) {
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(4 * documentBytes);
        mixer = new ContextMixer(
                (bit, probability) -> bit,
                CONTEXTS,
                Math.max(MIN_TABLE_BITS, Math.min(MAX_TABLE_BITS, bits)),
                VALUE + VALUE_KINDS,
                MAX_RUN + 1);
        for (byte[] prologue : KNOWN_PROLOGUES) {
            beginName(XmlPpm.PROLOGUE);
            for (byte b : prologue) {
                value(b);
            }
            value(XmlPpm.TERMINATOR);
        }
        mixer.use(coder);
    }

    /** Returns the number of open elements. */
    int depth() {
        return depth;
    }

    /** Codes a symbol of the structure, and returns it. Most are the ones that followed the same symbols before, and need one flag. */
    int structure(int symbol) {
        int here = hash(path[depth], children[depth]);
        int slot = here >>> (Integer.SIZE - EXPECTED_BITS);
        int guess = expected[slot] & 0xff;
        int run = expected[slot] >>> 8;
        int coded;
        if (run > 0 && mixer.flag(symbol == guess ? 1 : 0, run) == 1) {
            coded = guess;
            expected[slot] = (short) ((Math.min(run + 1, MAX_RUN) << 8) | guess);
        } else {
            coded = codeStructure(symbol, here);
            expected[slot] = (short) ((1 << 8) | coded);
        }
        lastStructure = (lastStructure << 8) | coded;
        children[depth] = (children[depth] << 8) | coded;
        return coded;
    }

    private int codeStructure(int symbol, int here) {
        int p = path[depth];
        contexts[0] = hash(0, lastStructure & 0xff);
        contexts[1] = hash(1, lastStructure & 0xffffff);
        contexts[2] = hash(2, p, children[depth] & 0xff);
        contexts[3] = hash(3, p, children[depth] & 0xffff);
        contexts[4] = hash(4, here, 0);
        contexts[5] = hash(5, p, lastStructure & 0xff);
        contexts[6] = hash(6, p, lastValue);
        return mixer.code(symbol, contexts, STRUCTURE);
    }

    /** Begins an element, whose name has a number. */
    void push(int name) {
        int parent = path[depth];
        depth++;
        path[depth] = hash(7, parent, name);
        children[depth] = 0;
        lastInTag = name;
    }

    /** Ends an element. */
    void pop() {
        depth--;
    }

    /** Codes a symbol within a start tag, and returns it. */
    int inTag(int symbol) {
        contexts[0] = hash(8, lastInTag & 0xff);
        contexts[1] = hash(9, lastInTag & 0xffff);
        contexts[2] = hash(10, lastInTag & 0xffffff);
        contexts[3] = hash(11, path[depth]);
        contexts[4] = hash(12, path[depth], lastInTag & 0xff);
        contexts[5] = hash(13, path[depth], lastInTag);
        contexts[6] = hash(14, path[depth], lastValue);
        int coded = mixer.code(symbol, contexts, TAG);
        lastInTag = (lastInTag << 8) | coded;
        return coded;
    }

    /** Begins the text of the present element. */
    void beginText() {
        begin(hash(15, path[depth]));
    }

    /** Begins the value of an attribute of the present element, whose name has a number. */
    void beginAttribute(int name) {
        begin(hash(16, path[depth], name));
    }

    /** Begins a value that does not depend on the path. */
    void beginName(int kind) {
        begin(hash(17, kind));
    }

    private void begin(int newField) {
        field = newField;
        position = 0;
        prefix = 0;
        word = 0;
    }

    /** Codes a byte of a value, or the terminator, and returns it. */
    int value(int b) {
        contexts[0] = 18;
        contexts[1] = hash(19, field, lastBytes & 0xff);
        contexts[2] = hash(20, lastBytes & 0xffff);
        contexts[3] = hash(21, lastBytes & 0xffffff);
        contexts[4] = hash(22, field, prefix);
        contexts[5] = hash(23, field, position);
        contexts[6] = hash(24, word);
        int coded = mixer.code(b, contexts, VALUE + Math.min(position, VALUE_KINDS - 1));
        position++;
        prefix = hash(prefix, coded + 1);
        word = isLetter(coded) ? hash(word, coded) : 0;
        lastBytes = (lastBytes << 8) | coded;
        if (coded == XmlPpm.TERMINATOR) {
            lastValue = prefix;
        }
        return coded;
    }

    /** Bytes above ASCII are parts of letters in most encodings. */
    private static boolean isLetter(int b) {
        return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || b >= 0x80;
    }

    private static int hash(int a, int b) {
        int hash = (a * 0x2F0B4F37) ^ ((b + 0x5D1E37C9) * 0x3C6EF372);
        return hash ^ (hash >>> 15);
    }

    private static int hash(int a, int b, int c) {
        return hash(hash(a, b), c);
    }
}
