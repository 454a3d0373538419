package io.parley.codec.compress.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits a document into the parts that an {@link XmlHandler} receives. {@link XmlWriter} joins the same parts to the same bytes, so
 * nothing is decoded, normalized or resolved: document type declarations, entities and character references are text here. The bytes may be in any
 * encoding in which ASCII characters have their own codes.
 *
 * <p>Not a parser: it accepts documents that are not well-formed if their elements are balanced.
 */
final class XmlReader {

    /** The largest number of elements within each other. */
    static final int MAX_DEPTH = 256;

    /** The largest number of bytes of the name of an element or an attribute. */
    static final int MAX_NAME_BYTES = 1000;

    private static final byte[] DOCTYPE = "<!DOCTYPE".getBytes(US_ASCII);

    /** An attribute has four offsets in {@link #attributes}. */
    private static final int OFFSETS = 4;

    /** The largest number of attributes of an element, apart from those of an unusual form. */
    static final int MAX_ATTRIBUTES = 256;

    private final byte[] in;
    private final XmlHandler handler;
    private final int[] nameFrom = new int[MAX_DEPTH];
    private final int[] nameTo = new int[MAX_DEPTH];
    private int[] attributes = new int[8 * OFFSETS];
    private int depth;
    private int at;

    private XmlReader(byte[] in, XmlHandler handler) {
        this.in = in;
        this.handler = handler;
    }

    /**
     * Calls the handler for each part.
     *
     * @return false if the document cannot be split, because its elements are not balanced, it exceeds a limit, or it contains a NUL; the
     *     handler may have been called
     */
    static boolean read(byte[] document, XmlHandler handler) {
        for (byte b : document) {
            if (b == 0) {
                return false;
            }
        }
        return new XmlReader(document, handler).read();
    }

    private boolean read() {
        int root = rootStart();
        if (root < 0) {
            return false;
        }
        handler.prologue(in, 0, root);
        at = root;
        boolean complete = readStartTag();
        while (complete && depth > 0) {
            complete = readPart();
        }
        if (!complete) {
            return false;
        }
        handler.epilogue(in, at, in.length);
        return true;
    }

    /** Returns where the root element begins, or -1. Declarations before it may have text that looks like a tag. */
    private int rootStart() {
        int position = 0;
        while (true) {
            int tag = indexOf((byte) '<', position);
            if (tag < 0 || tag + 1 == in.length) {
                return -1;
            }
            if (in[tag + 1] != '?' && in[tag + 1] != '!') {
                return tag;
            }
            XmlSection section = sectionAt(tag);
            if (section != null) {
                position = endOf(section, tag);
            } else if (startsWith(DOCTYPE, tag)) {
                position = endOfDoctype(tag);
            } else {
                return -1;
            }
            if (position < 0) {
                return -1;
            }
        }
    }

    /** Returns the position behind a document type declaration, or -1. Its internal subset has declarations with tags of their own. */
    private int endOfDoctype(int from) {
        int brackets = 0;
        int position = from + DOCTYPE.length;
        while (position >= 0 && position < in.length) {
            byte b = in[position];
            XmlSection section = b == '<' ? sectionAt(position) : null;
            if (section != null) {
                position = endOf(section, position);
            } else if (b == '"' || b == '\'') {
                position = behind(indexOf(b, position + 1));
            } else if (b == '>' && brackets == 0) {
                return position + 1;
            } else {
                brackets += b == '[' ? 1 : b == ']' ? -1 : 0;
                position++;
            }
        }
        return -1;
    }

    private static int behind(int position) {
        return position < 0 ? -1 : position + 1;
    }

    private boolean readPart() {
        if (at >= in.length) {
            return false;
        }
        if (in[at] != '<') {
            int end = indexOf((byte) '<', at);
            if (end < 0) {
                return false;
            }
            handler.text(in, at, end);
            at = end;
            return true;
        }
        if (at + 1 == in.length) {
            return false;
        }
        return switch (in[at + 1]) {
            case '/' -> readEndTag();
            case '!', '?' -> readSection();
            default -> readStartTag();
        };
    }

    private boolean readSection() {
        XmlSection section = sectionAt(at);
        int end = section == null ? -1 : endOf(section, at);
        if (section == null || end < 0) {
            return false;
        }
        handler.section(section, in, at + section.begin.length, end - section.end.length);
        at = end;
        return true;
    }

    private boolean readEndTag() {
        int from = nameFrom[depth - 1];
        int length = nameTo[depth - 1] - from;
        int name = at + 2;
        int position = name + length;
        if (position >= in.length || !Arrays.equals(in, name, position, in, from, from + length)) {
            return false;
        }
        int end = position;
        while (end < in.length && isSpace(in[end])) {
            end++;
        }
        if (end == in.length || in[end] != '>') {
            return false;
        }
        depth--;
        if (end == position) {
            handler.endElement();
        } else {
            handler.endElement(in, at, end + 1);
        }
        at = end + 1;
        return true;
    }

    private boolean readStartTag() {
        int name = at + 1;
        int nameEnd = endOfName(name);
        if (nameEnd < 0 || depth == MAX_DEPTH) {
            return false;
        }
        int count = 0;
        int position = nameEnd;
        int next = readAttribute(position, 0);
        while (next > 0) {
            if (count == MAX_ATTRIBUTES) {
                return false;
            }
            position = next;
            count++;
            next = readAttribute(position, count * OFFSETS);
        }
        int end = endOfTag(position);
        if (end < 0) {
            return false;
        }
        boolean empty = in[end - 2] == '/';
        handler.startElement(in, name, nameEnd, empty);
        for (int i = 0; i < count * OFFSETS; i += OFFSETS) {
            int value = attributes[i + 2];
            handler.attributeName(in, attributes[i], attributes[i + 1], in[value - 1] == '\'');
            handler.attributeValue(in, value, attributes[i + 3]);
        }
        boolean plain = end - position == (empty ? 2 : 1);
        if (!plain) {
            handler.restOfTag(in, position, end);
        } else if (empty) {
            handler.endElement();
        }
        if (!empty) {
            nameFrom[depth] = name;
            nameTo[depth] = nameEnd;
            depth++;
        }
        at = end;
        return true;
    }

    /** Returns the position behind an attribute of the usual form, or -1. */
    private int readAttribute(int from, int offset) {
        if (from >= in.length || in[from] != ' ') {
            return -1;
        }
        int nameEnd = endOfName(from + 1);
        if (nameEnd < 0 || nameEnd + 1 >= in.length || in[nameEnd] != '=') {
            return -1;
        }
        byte quote = in[nameEnd + 1];
        if (quote != '"' && quote != '\'') {
            return -1;
        }
        int valueEnd = indexOf(quote, nameEnd + 2);
        if (valueEnd < 0) {
            return -1;
        }
        if (attributes.length == offset) {
            attributes = Arrays.copyOf(attributes, 2 * offset);
        }
        attributes[offset] = from + 1;
        attributes[offset + 1] = nameEnd;
        attributes[offset + 2] = nameEnd + 2;
        attributes[offset + 3] = valueEnd;
        return valueEnd + 1;
    }

    /** Returns the position behind the {@code >} that ends a tag, or -1. */
    private int endOfTag(int from) {
        for (int i = from; i < in.length; i++) {
            byte b = in[i];
            if (b == '>') {
                return i + 1;
            }
            if (b == '"' || b == '\'') {
                i = indexOf(b, i + 1);
                if (i < 0) {
                    return -1;
                }
            }
        }
        return -1;
    }

    /** Returns the position behind a name, or -1 if there is none or it is too long. */
    private int endOfName(int from) {
        int end = from;
        while (end < in.length && isName(in[end])) {
            end++;
        }
        return end == from || end - from > MAX_NAME_BYTES ? -1 : end;
    }

    private static boolean isName(byte b) {
        return !isSpace(b) && b != '=' && b != '/' && b != '>' && b != '<' && b != '"' && b != '\'';
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }

    private @Nullable XmlSection sectionAt(int position) {
        for (XmlSection section : XmlSection.values()) {
            if (startsWith(section.begin, position)) {
                return section;
            }
        }
        return null;
    }

    /** Returns the position behind a section that begins at a position, or -1. */
    private int endOf(XmlSection section, int from) {
        byte last = section.end[section.end.length - 1];
        int first = from + section.begin.length + section.end.length - 1;
        for (int i = indexOf(last, first); i >= 0; i = indexOf(last, i + 1)) {
            if (startsWith(section.end, i + 1 - section.end.length)) {
                return i + 1;
            }
        }
        return -1;
    }

    private boolean startsWith(byte[] prefix, int position) {
        return position + prefix.length <= in.length
                && Arrays.equals(in, position, position + prefix.length, prefix, 0, prefix.length);
    }

    private int indexOf(byte b, int from) {
        for (int i = from; i < in.length; i++) {
            if (in[i] == b) {
                return i;
            }
        }
        return -1;
    }
}
