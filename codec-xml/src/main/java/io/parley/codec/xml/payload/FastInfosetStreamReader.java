package io.parley.codec.xml.payload;

import com.ctc.wstx.io.WstxInputData;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.HashSet;
import java.util.Set;
import javax.xml.stream.XMLStreamReader;

/**
 * A reader of the binary form that rejects documents without a text form. Fast Infoset can represent names with spaces,
 * control characters, and comments that contain their own delimiter. Written as text, such a document would become
 * another one.
 */
final class FastInfosetStreamReader extends BoundedStreamReader {
    /**
     * The names that were checked. Documents repeat few names. Bounded by the document, which spells out each name
     * once.
     */
    private final Set<String> validNames = new HashSet<>();

    private boolean rootSeen;

    FastInfosetStreamReader(XMLStreamReader reader, XmlLimits limits, boolean nodesLimited) {
        super(reader, limits, nodesLimited);
    }

    /** Returns the text from the chars, because the library may return the cached string of another text. */
    @Override
    public String getText() {
        return new String(getTextCharacters(), getTextStart(), getTextLength());
    }

    @Override
    void checkForm(int event) {
        switch (event) {
            case START_ELEMENT -> {
                if (depth() == 1 && rootSeen) {
                    throw malformed("second root element (expected: one)");
                }
                rootSeen = true;
                checkElement();
            }
            case CHARACTERS, SPACE, CDATA -> {
                if (depth() == 0) {
                    throw malformed("text outside the root element");
                }
                checkCharacters(getTextCharacters(), getTextStart(), getTextLength());
                if (event == CDATA) {
                    checkAbsent("]]>", getText());
                }
            }
            case COMMENT -> {
                String comment = getText();
                checkCharacters(comment);
                checkAbsent("--", comment + '-');
            }
            case PROCESSING_INSTRUCTION -> {
                checkName(getPITarget());
                if (getPITarget().equalsIgnoreCase("xml")) {
                    throw malformed("processing instruction xml (expected: another name)");
                }
                checkCharacters(getPIData());
                checkAbsent("?>", getPIData());
            }
            case END_DOCUMENT -> {
                if (!rootSeen) {
                    throw malformed("no root element");
                }
            }
            default -> {}
        }
    }

    private void checkElement() {
        checkName(getLocalName());
        checkPrefix(getPrefix());
        for (int i = 0; i < getNamespaceCount(); i++) {
            String prefix = getNamespacePrefix(i);
            checkPrefix(prefix == null ? "" : prefix);
            checkCharacters(getNamespaceURI(i));
        }
        for (int i = 0; i < getAttributeCount(); i++) {
            checkName(getAttributeLocalName(i));
            checkPrefix(getAttributePrefix(i));
            checkCharacters(getAttributeValue(i));
        }
    }

    private void checkPrefix(String prefix) {
        if (!prefix.isEmpty()) {
            checkName(prefix);
        }
    }

    private void checkName(String name) {
        if (validNames.contains(name)) {
            return;
        }
        if (name.isEmpty() || WstxInputData.findIllegalNameChar(name, true, false) >= 0) {
            throw malformed("name that XML does not allow");
        }
        validNames.add(name);
    }

    private static void checkCharacters(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isXmlCharacter(c)) {
                continue;
            }
            if (!Character.isHighSurrogate(c)
                    || i + 1 == text.length()
                    || !Character.isLowSurrogate(text.charAt(++i))) {
                throw notXml(c);
            }
        }
    }

    private static void checkCharacters(char[] text, int start, int length) {
        int end = start + length;
        for (int i = start; i < end; i++) {
            char c = text[i];
            if (isXmlCharacter(c)) {
                continue;
            }
            if (!Character.isHighSurrogate(c) || i + 1 == end || !Character.isLowSurrogate(text[++i])) {
                throw notXml(c);
            }
        }
    }

    /** Returns whether a char is a complete character that XML allows. */
    private static boolean isXmlCharacter(char c) {
        return c < ' ' ? c == '\t' || c == '\n' || c == '\r' : !Character.isSurrogate(c) && c < 0xFFFE;
    }

    private static void checkAbsent(String delimiter, String text) {
        if (text.contains(delimiter)) {
            throw malformed("'" + delimiter + "' in text that it would end");
        }
    }

    private static ParleyException notXml(char c) {
        return malformed(String.format("character U+%04X (expected: characters of XML 1.0)", (int) c));
    }

    private static ParleyException malformed(String fault) {
        return ErrorCode.MALFORMED_MESSAGE.exception("Fast Infoset: " + fault);
    }
}
