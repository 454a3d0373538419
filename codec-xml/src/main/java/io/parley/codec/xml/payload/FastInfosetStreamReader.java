package io.parley.codec.xml.payload;

import com.ctc.wstx.io.WstxInputData;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.HashSet;
import java.util.Set;
import javax.xml.stream.XMLStreamReader;

/**
 * A reader of the binary form, which can say what is no XML: names with spaces, control characters, comments with what ends
 * them. Whoever writes as text what he reads here would write something else.
 */
final class FastInfosetStreamReader extends BoundedStreamReader {
    /** Names are few and come often. Bounded by the document, in which each stands once. */
    private final Set<String> goodNames = new HashSet<>();

    private boolean rootSeen;

    FastInfosetStreamReader(XMLStreamReader reader, XmlLimits limits) {
        super(reader, limits);
    }

    /** The library keeps strings of texts that repeat, and may give that of another; its chars are the right ones. */
    @Override
    public String getText() {
        return new String(getTextCharacters(), getTextStart(), getTextLength());
    }

    @Override
    void checkForm(int event) {
        switch (event) {
            case START_ELEMENT -> {
                if (depth() == 1 && rootSeen) {
                    throw malformed("a second root element");
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
                    throw malformed("a processing instruction named xml");
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
        if (goodNames.contains(name)) {
            return;
        }
        if (name.isEmpty() || WstxInputData.findIllegalNameChar(name, true, false) >= 0) {
            throw malformed("a name that XML doesn't allow");
        }
        goodNames.add(name);
    }

    private static void checkCharacters(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isOrdinary(c)) {
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
            if (isOrdinary(c)) {
                continue;
            }
            if (!Character.isHighSurrogate(c) || i + 1 == end || !Character.isLowSurrogate(text[++i])) {
                throw notXml(c);
            }
        }
    }

    /** Whether it is a character by itself, and one that XML can say. */
    private static boolean isOrdinary(char c) {
        return c < ' ' ? c == '\t' || c == '\n' || c == '\r' : !Character.isSurrogate(c) && c < 0xFFFE;
    }

    private static void checkAbsent(String end, String text) {
        if (text.contains(end)) {
            throw malformed("'" + end + "' in what it ends");
        }
    }

    private static ParleyException notXml(char c) {
        return malformed(String.format("character U+%04X, which XML doesn't allow", (int) c));
    }

    private static ParleyException malformed(String fault) {
        return ErrorCode.MALFORMED_MESSAGE.exception("Fast Infoset: " + fault);
    }
}
