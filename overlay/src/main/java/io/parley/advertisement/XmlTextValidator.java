package io.parley.advertisement;

import com.ctc.wstx.io.WstxInputData;

/** What XML 1.0 lets names and texts consist of. */
final class XmlTextValidator {
    private XmlTextValidator() {}

    static void checkName(String name) {
        // Asked of the parser, so that a name that is written is a name that is read.
        if (name.isEmpty() || WstxInputData.findIllegalNameChar(name, false, false) >= 0) {
            throw new IllegalArgumentException("name: " + TextSanitizer.of(name) + " (expected: a name of XML 1.0)");
        }
    }

    static void checkText(String where, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (c < ' ' ? c != '\t' && c != '\n' && c != '\r' : Character.isSurrogate(c) || c >= 0xFFFE) {
                throw new IllegalArgumentException(where + ": character " + String.format("U+%04X", (int) c)
                        + " (expected: one that XML can carry)");
            }
        }
    }
}
