package io.parley.advertisement;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the part of a document before the root element. JXTA writes a document type there, which only names the root. The XML
 * parser receives only the rest of the document, so no document can contain declarations, entities or external references.
 */
final class XmlProlog {
    private static final int MAX_DECLARATION_BYTES = 256;
    private static final String DOCTYPE = "<!DOCTYPE";
    private static final Pattern DECLARATION = Pattern.compile("<\\?xml\\s+version\\s*=\\s*([\"'])1\\.0\\1"
            + "(?:\\s+encoding\\s*=\\s*([\"'])(?i:UTF-?8)\\2)?"
            + "(?:\\s+standalone\\s*=\\s*([\"'])(?:yes|no)\\3)?\\s*\\?>");

    private final byte[] document;
    private int at;
    private String documentType = "";

    private XmlProlog(byte[] document) {
        this.document = document;
    }

    /**
     * Parses the prolog of a document.
     *
     * @throws IllegalArgumentException if it is malformed, has another encoding than UTF-8, or contains declarations
     */
    static XmlProlog of(byte[] document) {
        XmlProlog prolog = new XmlProlog(document);
        prolog.read();
        return prolog;
    }

    /** Returns the offset of the root element. */
    int end() {
        return at;
    }

    /** Returns the name that the document type gives to the root; empty if there is no document type. */
    String documentType() {
        return documentType;
    }

    private void read() {
        if (startsWith("\u00EF\u00BB\u00BF")) {
            at += 3; // the byte order mark
        }
        if (isDeclaration()) {
            declaration();
        }
        while (true) {
            skipSpace();
            if (startsWith("<!--")) {
                at += 4;
                skipPast("-->");
            } else if (startsWith("<?")) {
                if (isDeclaration()) {
                    throw new IllegalArgumentException("XML declaration: found two (expected: one, at the start)");
                }
                skipPast("?>");
            } else if (startsWith(DOCTYPE)) {
                doctype();
            } else {
                return;
            }
        }
    }

    private boolean isDeclaration() {
        return startsWith("<?xml") && at + 5 < document.length && isSpace(document[at + 5]);
    }

    private void declaration() {
        int length = Math.min(document.length - at, MAX_DECLARATION_BYTES);
        Matcher declaration = DECLARATION.matcher(new String(document, at, length, StandardCharsets.ISO_8859_1));
        if (!declaration.lookingAt()) {
            throw new IllegalArgumentException(
                    "XML declaration: malformed or unsupported (expected: version 1.0 in UTF-8)");
        }
        at += declaration.end();
    }

    private void doctype() {
        if (!documentType.isEmpty()) {
            throw new IllegalArgumentException("DOCTYPE: found two (expected: at most one)");
        }
        at += DOCTYPE.length();
        int beforeSpace = at;
        skipSpace();
        int start = at;
        while (at < document.length && !isSpace(document[at]) && document[at] != '>' && document[at] != '[') {
            at++;
        }
        documentType = new String(document, start, at - start, StandardCharsets.UTF_8);
        skipSpace();
        if (start == beforeSpace || documentType.isEmpty() || at == document.length || document[at] != '>') {
            throw new IllegalArgumentException("DOCTYPE: malformed or has declarations (expected: a name only)");
        }
        at++;
    }

    private void skipSpace() {
        while (at < document.length && isSpace(document[at])) {
            at++;
        }
    }

    private void skipPast(String end) {
        while (at < document.length && !startsWith(end)) {
            at++;
        }
        at = Math.min(document.length, at + end.length());
    }

    private boolean startsWith(String bytes) {
        if (document.length - at < bytes.length()) {
            return false;
        }
        for (int i = 0; i < bytes.length(); i++) {
            if ((document[at + i] & 0xff) != bytes.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b == '\n' || b == '\t' || b == '\r';
    }
}
