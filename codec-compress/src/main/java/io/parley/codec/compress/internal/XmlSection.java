package io.parley.codec.compress.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** A part of the content of an element that has delimiters of its own. */
enum XmlSection {
    COMMENT("<!--", "-->"),
    CDATA("<![CDATA[", "]]>"),
    INSTRUCTION("<?", "?>");

    final byte[] begin;
    final byte[] end;

    XmlSection(String begin, String end) {
        this.begin = begin.getBytes(US_ASCII);
        this.end = end.getBytes(US_ASCII);
    }
}
