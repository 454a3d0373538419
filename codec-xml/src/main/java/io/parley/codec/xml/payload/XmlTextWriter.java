package io.parley.codec.xml.payload;

import io.parley.error.ErrorCode;
import io.parley.message.Payload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.xml.sax.Attributes;
import org.xml.sax.ext.DefaultHandler2;

/** Writes SAX events as UTF-8 text of a given style and an exact size. */
final class XmlTextWriter extends DefaultHandler2 {
    private final XmlTextStyle style;
    private final int exactBytes;
    private final List<String> declarations = new ArrayList<>();
    private byte[] bytes;
    private int size;
    private boolean tagOpen;
    private boolean inSection;

    XmlTextWriter(XmlTextStyle style, int exactBytes) {
        this.style = style;
        this.exactBytes = exactBytes;
        // Grows with the written text, because the remote peer claims the size.
        this.bytes = new byte[Math.min(exactBytes, 1024)];
    }

    /** Returns the text without a copy. The writer must not be used afterwards. */
    Payload toPayload() {
        if (size != exactBytes) {
            throw ErrorCode.MALFORMED_MESSAGE.exception(
                    "encoded XML: " + size + " bytes of text (expected: " + exactBytes + " from its header)");
        }
        return Payload.of(bytes, 0, size);
    }

    void writeRaw(Payload raw) {
        int length = (int) raw.size();
        ensureRoom(length);
        System.arraycopy(raw.array(), raw.arrayOffset(), bytes, size, length);
        size += length;
    }

    @Override
    public void startPrefixMapping(String prefix, String namespace) {
        declarations.add(prefix);
        declarations.add(namespace);
    }

    @Override
    public void startElement(String namespace, String localName, String qualifiedName, Attributes attributes) {
        closeTag();
        write('<');
        write(qualifiedName);
        for (int i = 0; i < declarations.size(); i += 2) {
            String prefix = declarations.get(i);
            writeAttribute(prefix.isEmpty() ? "xmlns" : "xmlns:" + prefix, declarations.get(i + 1));
        }
        declarations.clear();
        for (int i = 0; i < attributes.getLength(); i++) {
            writeAttribute(attributes.getQName(i), attributes.getValue(i));
        }
        tagOpen = true;
    }

    private void writeAttribute(String name, String value) {
        char quote = style.apostrophes() ? '\'' : '"';
        write(' ');
        write(name);
        write('=');
        write(quote);
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '&' -> write("&amp;");
                case '<' -> write("&lt;");
                case '"' -> write(quote == '"' ? "&quot;" : "\"");
                case '\'' -> write(quote == '"' ? "'" : "&apos;");
                case '\t' -> write("&#x9;");
                case '\n' -> write("&#xA;");
                case '\r' -> write("&#xD;");
                case '>' -> write(style.escapedGreater() ? "&gt;" : ">");
                default -> i = writeCharacter(value, i);
            }
        }
        write(quote);
    }

    @Override
    public void endElement(String namespace, String localName, String qualifiedName) {
        if (tagOpen && style.emptyTags() != XmlTextStyle.EmptyTags.PAIR) {
            write(style.emptyTags() == XmlTextStyle.EmptyTags.SPACED ? " />" : "/>");
            tagOpen = false;
            return;
        }
        closeTag();
        write("</");
        write(qualifiedName);
        write('>');
    }

    @Override
    public void characters(char[] text, int start, int length) {
        closeTag();
        String characters = new String(text, start, length);
        if (inSection) {
            writeLines(characters);
            return;
        }
        for (int i = 0; i < characters.length(); i++) {
            char c = characters.charAt(i);
            switch (c) {
                case '&' -> write("&amp;");
                case '<' -> write("&lt;");
                case '>' -> write(style.escapedGreater() ? "&gt;" : ">");
                case '\r' -> write("&#xD;");
                case '\n' -> writeLineEnd();
                default -> i = writeCharacter(characters, i);
            }
        }
    }

    @Override
    public void startCDATA() {
        closeTag();
        write("<![CDATA[");
        inSection = true;
    }

    @Override
    public void endCDATA() {
        write("]]>");
        inSection = false;
    }

    @Override
    public void comment(char[] text, int start, int length) {
        closeTag();
        write("<!--");
        writeLines(new String(text, start, length));
        write("-->");
    }

    @Override
    public void processingInstruction(String target, String data) {
        closeTag();
        write("<?");
        write(target);
        if (!data.isEmpty()) {
            write(' ');
            writeLines(data);
        }
        write("?>");
    }

    private void closeTag() {
        if (tagOpen) {
            write('>');
            tagOpen = false;
        }
    }

    private void writeLines(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\n') {
                writeLineEnd();
            } else {
                i = writeCharacter(text, i);
            }
        }
    }

    private void writeLineEnd() {
        write(style.carriageReturns() ? "\r\n" : "\n");
    }

    private void write(String text) {
        for (int i = 0; i < text.length(); i++) {
            i = writeCharacter(text, i);
        }
    }

    /** Writes the character at an index. Returns the index of its last char. */
    private int writeCharacter(String text, int at) {
        char c = text.charAt(at);
        if (c < 0x80) {
            write(c);
            return at;
        }
        int codePoint = text.codePointAt(at);
        if (codePoint < 0x800) {
            writeByte(0xC0 | codePoint >> 6);
        } else if (codePoint < 0x10000) {
            writeByte(0xE0 | codePoint >> 12);
            writeByte(0x80 | (codePoint >> 6 & 0x3F));
        } else {
            writeByte(0xF0 | codePoint >> 18);
            writeByte(0x80 | (codePoint >> 12 & 0x3F));
            writeByte(0x80 | (codePoint >> 6 & 0x3F));
        }
        writeByte(0x80 | (codePoint & 0x3F));
        return at + Character.charCount(codePoint) - 1;
    }

    private void write(char ascii) {
        writeByte(ascii);
    }

    private void writeByte(int b) {
        if (size == bytes.length) {
            ensureRoom(1);
        }
        bytes[size++] = (byte) b;
    }

    private void ensureRoom(int length) {
        if (length > exactBytes - size) {
            throw ErrorCode.MALFORMED_MESSAGE.exception(
                    "encoded XML: text over its size (expected: " + exactBytes + " bytes from its header)");
        }
        if (length > bytes.length - size) {
            int capacity = Math.max(size + length, (int) Math.min(2L * bytes.length, exactBytes));
            bytes = Arrays.copyOf(bytes, capacity);
        }
    }
}
