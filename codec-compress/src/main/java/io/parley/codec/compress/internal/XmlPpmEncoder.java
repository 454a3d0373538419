package io.parley.codec.compress.internal;

import java.util.HashMap;
import java.util.Map;

/** Writes the symbols of a document. */
final class XmlPpmEncoder implements XmlHandler {

    /** Longer white space is text. */
    private static final int MAX_BLANK_BYTES = 100;

    private final XmlModel model;
    private final Map<XmlToken, Integer> tokens = new HashMap<>();
    private final Map<XmlToken, Integer> attributes = new HashMap<>();

    /** Whether the last part belongs to a start tag, and whether that is one of an empty element. */
    private boolean inTag;

    private boolean inEmptyTag;
    private int attribute;

    XmlPpmEncoder(XmlModel model) {
        this.model = model;
    }

    @Override
    public void prologue(byte[] in, int from, int to) {
        model.beginName(XmlPpm.PROLOGUE);
        writeValue(in, from, to);
    }

    @Override
    public void startElement(byte[] in, int from, int to, boolean empty) {
        endTag();
        model.push(writeToken(empty ? XmlPpm.EMPTY_ELEMENT : XmlPpm.ELEMENT, in, from, to));
        inTag = true;
        inEmptyTag = empty;
    }

    @Override
    public void attributeName(byte[] in, int from, int to, boolean apostrophe) {
        int symbol = apostrophe ? XmlPpm.APOSTROPHE_ATTRIBUTE : XmlPpm.ATTRIBUTE;
        XmlToken name = XmlToken.of(symbol, in, from, to);
        Integer known = attributes.get(name);
        if (known != null) {
            model.inTag(XmlPpm.FIRST_ATTRIBUTE + known);
            attribute = known;
            return;
        }
        model.inTag(symbol);
        model.beginName(XmlPpm.ATTRIBUTE_NAME);
        writeValue(in, from, to);
        attribute = add(name, attributes);
    }

    @Override
    public void attributeValue(byte[] in, int from, int to) {
        model.beginAttribute(attribute);
        writeValue(in, from, to);
    }

    @Override
    public void restOfTag(byte[] in, int from, int to) {
        model.inTag(XmlPpm.REST_OF_TAG);
        model.beginName(XmlPpm.TAG);
        writeValue(in, from, to);
        inTag = false;
        if (inEmptyTag) {
            model.pop();
        }
    }

    @Override
    public void text(byte[] in, int from, int to) {
        endTag();
        if (isBlank(in, from, to)) {
            writeToken(XmlPpm.BLANK, in, from, to);
            return;
        }
        model.structure(XmlPpm.TEXT);
        model.beginText();
        writeValue(in, from, to);
    }

    private static boolean isBlank(byte[] in, int from, int to) {
        for (int i = from; i < to; i++) {
            if (in[i] < 0 || in[i] > ' ') {
                return false;
            }
        }
        return to - from <= MAX_BLANK_BYTES;
    }

    @Override
    public void section(XmlSection section, byte[] in, int from, int to) {
        endTag();
        int symbol = XmlPpmDecoder.symbol(section);
        model.structure(symbol);
        model.beginName(symbol);
        writeValue(in, from, to);
    }

    @Override
    public void endElement() {
        boolean empty = inTag && inEmptyTag;
        endTag();
        if (!empty) {
            model.structure(XmlPpm.END);
        }
        model.pop();
    }

    @Override
    public void endElement(byte[] in, int from, int to) {
        endTag();
        model.structure(XmlPpm.UNUSUAL_END);
        model.beginName(XmlPpm.TAG);
        writeValue(in, from, to);
        model.pop();
    }

    @Override
    public void epilogue(byte[] in, int from, int to) {
        model.beginName(XmlPpm.EPILOGUE);
        writeValue(in, from, to);
    }

    private void endTag() {
        if (inTag) {
            inTag = false;
            model.inTag(XmlPpm.END_OF_TAG);
        }
    }

    /** Writes the number of a token, or a new token, and returns its number. */
    private int writeToken(int symbol, byte[] in, int from, int to) {
        XmlToken token = XmlToken.of(symbol, in, from, to);
        Integer known = tokens.get(token);
        if (known != null) {
            model.structure(XmlPpm.FIRST_TOKEN + known);
            return known;
        }
        model.structure(symbol);
        model.beginName(symbol);
        writeValue(in, from, to);
        return add(token, tokens);
    }

    private static int add(XmlToken token, Map<XmlToken, Integer> known) {
        int number = known.size();
        if (number == XmlPpm.MAX_TOKENS) {
            return XmlPpm.UNNUMBERED;
        }
        known.put(token, number);
        return number;
    }

    private void writeValue(byte[] in, int from, int to) {
        for (int i = from; i < to; i++) {
            model.value(in[i] & 0xff);
        }
        model.value(XmlPpm.TERMINATOR);
    }
}
