package io.parley.advertisement;

import com.ctc.wstx.io.WstxInputData;
import io.parley.common.internal.TextSanitizer;

/** Checks names and texts against XML 1.0. */
final class XmlTextValidator {
    private XmlTextValidator() {}

    static void checkName(String name) {
        // The parser's own check, so that every name that can be written can be read.
        if (name.isEmpty() || WstxInputData.findIllegalNameChar(name, false, false) >= 0) {
            throw new IllegalArgumentException("name: " + TextSanitizer.quote(name) + " (expected: an XML 1.0 name)");
        }
    }

    static void checkText(String where, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (c < ' ' ? c != '\t' && c != '\n' && c != '\r' : Character.isSurrogate(c) || c >= 0xFFFE) {
                throw new IllegalArgumentException(where + ": character " + String.format("U+%04X", (int) c)
                        + " (expected: a character that XML can represent)");
            }
        }
    }
}
