package io.parley.codec.compress.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;

/** Writes the parts of a document to an output, as {@link XmlReader} has found them. A part in a wrong place is malformed. */
final class XmlWriter implements XmlHandler {

    private static final byte[] END_TAG = "</".getBytes(US_ASCII);
    private static final byte[] EMPTY_END = "/>".getBytes(US_ASCII);

    private final GrowingArray out;
    private byte[][] names = new byte[8][];
    private int depth;

    /** Whether the last part belongs to a start tag that is not complete, and whether that is one of an empty element. */
    private boolean inTag;

    private boolean inEmptyTag;
    private int quote;

    XmlWriter(GrowingArray out) {
        this.out = out;
    }

    /** Returns the number of elements that have begun and not ended. */
    int depth() {
        return depth;
    }

    /** Returns whether attributes may follow. */
    boolean isInTag() {
        return inTag;
    }

    @Override
    public void prologue(byte[] in, int from, int to) {
        write(in, from, to);
    }

    @Override
    public void epilogue(byte[] in, int from, int to) {
        write(in, from, to);
    }

    @Override
    public void startElement(byte[] in, int from, int to, boolean empty) {
        beginContent();
        if (depth == XmlReader.MAX_DEPTH) {
            throw Malformed.because("more than " + XmlReader.MAX_DEPTH + " elements within each other");
        }
        if (depth == names.length) {
            names = Arrays.copyOf(names, 2 * depth);
        }
        names[depth++] = from == 0 && to == in.length ? in : Arrays.copyOfRange(in, from, to);
        write('<');
        write(in, from, to);
        inTag = true;
        inEmptyTag = empty;
    }

    @Override
    public void attributeName(byte[] in, int from, int to, boolean apostrophe) {
        checkInTag();
        quote = apostrophe ? '\'' : '"';
        write(' ');
        write(in, from, to);
        write('=');
        write(quote);
    }

    @Override
    public void attributeValue(byte[] in, int from, int to) {
        write(in, from, to);
        write(quote);
    }

    @Override
    public void restOfTag(byte[] in, int from, int to) {
        checkInTag();
        write(in, from, to);
        inTag = false;
        if (inEmptyTag) {
            depth--;
        }
    }

    @Override
    public void text(byte[] in, int from, int to) {
        beginContent();
        write(in, from, to);
    }

    @Override
    public void section(XmlSection section, byte[] in, int from, int to) {
        beginContent();
        write(section.begin, 0, section.begin.length);
        write(in, from, to);
        write(section.end, 0, section.end.length);
    }

    @Override
    public void endElement() {
        checkDepth();
        depth--;
        if (inTag && inEmptyTag) {
            write(EMPTY_END, 0, EMPTY_END.length);
            inTag = false;
            return;
        }
        closeTag();
        write(END_TAG, 0, END_TAG.length);
        write(names[depth], 0, names[depth].length);
        write('>');
    }

    @Override
    public void endElement(byte[] in, int from, int to) {
        beginContent();
        checkDepth();
        depth--;
        write(in, from, to);
    }

    private void write(int b) {
        if (out.isFull()) {
            throw Malformed.because("the document is larger than stated");
        }
        out.write(b);
    }

    private void write(byte[] in, int from, int to) {
        if (to - from > out.room()) {
            throw Malformed.because("the document is larger than stated");
        }
        out.write(in, from, to);
    }

    private void beginContent() {
        if (inTag && inEmptyTag) {
            throw Malformed.because("an empty element has content");
        }
        closeTag();
    }

    private void closeTag() {
        if (inTag) {
            write('>');
            inTag = false;
        }
    }

    private void checkInTag() {
        if (!inTag) {
            throw Malformed.because("a part of a start tag is outside of one");
        }
    }

    private void checkDepth() {
        if (depth == 0) {
            throw Malformed.because("an element ends that did not begin");
        }
    }
}
