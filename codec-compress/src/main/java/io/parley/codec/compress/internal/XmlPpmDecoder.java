package io.parley.codec.compress.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads the symbols of a document, and writes the document. */
final class XmlPpmDecoder {

    private final XmlModel model;
    private final GrowingArray out;
    private final XmlWriter writer;
    private final List<XmlToken> tokens = new ArrayList<>();
    private final List<XmlToken> attributes = new ArrayList<>();

    /** The last value that was read. */
    private byte[] value = new byte[64];

    private int length;

    /** Whether the last part was text or white space. */
    private boolean afterText;

    XmlPpmDecoder(XmlModel model, GrowingArray out) {
        this.model = model;
        this.out = out;
        writer = new XmlWriter(out);
    }

    /** Returns the symbol of a section, which is also the kind of its value. */
    static int symbol(XmlSection section) {
        return switch (section) {
            case COMMENT -> XmlPpm.COMMENT;
            case CDATA -> XmlPpm.CDATA;
            case INSTRUCTION -> XmlPpm.INSTRUCTION;
        };
    }

    void decode() {
        model.beginName(XmlPpm.PROLOGUE);
        readValue();
        writer.prologue(value, 0, length);
        int root = model.structure(0);
        if (root < XmlPpm.ELEMENT || root == XmlPpm.BLANK) {
            throw Malformed.because("a document begins without an element");
        }
        readToken(root);
        while (model.depth() > 0) {
            readPart();
        }
        model.beginName(XmlPpm.EPILOGUE);
        readValue();
        writer.epilogue(value, 0, length);
    }

    private void readPart() {
        int symbol = model.structure(0);
        boolean wasAfterText = afterText;
        afterText = symbol == XmlPpm.TEXT || isBlank(symbol);
        if (afterText && wasAfterText) { // texts of a byte each take several times as long as one
            throw Malformed.because("a text behind another one");
        }
        switch (symbol) {
            case XmlPpm.END -> {
                writer.endElement();
                model.pop();
            }
            case XmlPpm.UNUSUAL_END -> {
                model.beginName(XmlPpm.TAG);
                readNonEmpty();
                writer.endElement(value, 0, length);
                model.pop();
            }
            case XmlPpm.TEXT -> {
                model.beginText();
                readNonEmpty();
                writer.text(value, 0, length);
            }
            case XmlPpm.COMMENT -> readSection(XmlSection.COMMENT);
            case XmlPpm.CDATA -> readSection(XmlSection.CDATA);
            case XmlPpm.INSTRUCTION -> readSection(XmlSection.INSTRUCTION);
            default -> readToken(symbol);
        }
    }

    private boolean isBlank(int symbol) {
        int number = symbol - XmlPpm.FIRST_TOKEN;
        return symbol == XmlPpm.BLANK
                || (number >= 0 && number < tokens.size() && tokens.get(number).symbol() == XmlPpm.BLANK);
    }

    private void readSection(XmlSection section) {
        model.beginName(symbol(section));
        readValue();
        writer.section(section, value, 0, length);
    }

    private void readToken(int symbol) {
        int number = symbol - XmlPpm.FIRST_TOKEN;
        XmlToken token;
        if (number < 0) {
            model.beginName(symbol);
            token = newToken(symbol);
            number = add(token, tokens);
        } else {
            token = get(tokens, number);
        }
        if (token.symbol() == XmlPpm.BLANK) {
            byte[] blank = token.bytes();
            writer.text(blank, 0, blank.length);
        } else {
            readElement(token, number);
        }
    }

    private void readElement(XmlToken name, int number) {
        boolean empty = name.symbol() == XmlPpm.EMPTY_ELEMENT;
        byte[] bytes = name.bytes();
        writer.startElement(bytes, 0, bytes.length, empty);
        model.push(number);
        int symbol = model.inTag(0);
        while (symbol > XmlPpm.REST_OF_TAG) {
            readAttribute(symbol);
            symbol = model.inTag(0);
        }
        if (symbol == XmlPpm.REST_OF_TAG) {
            model.beginName(XmlPpm.TAG);
            readNonEmpty();
            writer.restOfTag(value, 0, length);
        } else if (empty) {
            writer.endElement();
        }
        if (empty) {
            model.pop();
        }
    }

    private void readAttribute(int symbol) {
        int number = symbol - XmlPpm.FIRST_ATTRIBUTE;
        XmlToken name;
        if (number < 0) {
            model.beginName(XmlPpm.ATTRIBUTE_NAME);
            name = newToken(symbol);
            number = add(name, attributes);
        } else {
            name = get(attributes, number);
        }
        byte[] bytes = name.bytes();
        writer.attributeName(bytes, 0, bytes.length, name.symbol() == XmlPpm.APOSTROPHE_ATTRIBUTE);
        model.beginAttribute(number);
        readValue();
        writer.attributeValue(value, 0, length);
    }

    private XmlToken newToken(int symbol) {
        readNonEmpty();
        return XmlToken.of(symbol, value, 0, length);
    }

    private static int add(XmlToken token, List<XmlToken> known) {
        if (known.size() == XmlPpm.MAX_TOKENS) {
            return XmlPpm.UNNUMBERED;
        }
        known.add(token);
        return known.size() - 1;
    }

    private static XmlToken get(List<XmlToken> known, int number) {
        if (number >= known.size()) {
            throw Malformed.because("unknown number of a name: " + number);
        }
        return known.get(number);
    }

    /** Reads a value that is not empty. An empty one would let few bytes cost much time. */
    private void readNonEmpty() {
        readValue();
        if (length == 0) {
            throw Malformed.because("an empty text or name");
        }
    }

    private void readValue() {
        length = 0;
        int b = model.value(0);
        while (b != XmlPpm.TERMINATOR) {
            if (length == out.room()) {
                throw Malformed.because("the document is larger than stated");
            }
            if (length == value.length) {
                value = Arrays.copyOf(value, 2 * length);
            }
            value[length++] = (byte) b;
            b = model.value(0);
        }
    }
}
