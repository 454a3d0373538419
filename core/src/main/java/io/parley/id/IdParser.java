package io.parley.id;

import io.parley.common.internal.TextSanitizer;
import io.parley.id.IdFormatException.Fault;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Writes and parses the text and URN forms of ids, and reports the fault of an invalid text. */
final class IdParser {
    private static final String SCHEME = "urn:";
    private static final String NAMESPACE = "urn:parley:";

    private IdParser() {}

    static String text(IdKind kind, byte[] payload) {
        return Base32.encode(kind.seal(payload));
    }

    static String urn(IdKind kind, String text) {
        return NAMESPACE + kind.label() + ':' + text;
    }

    /** Parses an id of the expected kind, or of any kind if {@code expected} is {@code null}. */
    static Id parse(CharSequence input, @Nullable IdKind expected) {
        String given = input.toString().strip();
        int start = 0;
        IdKind wanted = expected;
        if (given.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            IdKind named = kindOfUrn(given, expected);
            if (expected != null && named != expected) {
                throw wrongKind(given, named, expected);
            }
            wanted = named;
            start = given.indexOf(':', NAMESPACE.length()) + 1;
        }
        checkCharacters(given, start, wanted);
        return parseText(given, given.substring(start), wanted);
    }

    private static IdKind kindOfUrn(String given, @Nullable IdKind expected) {
        int colon = given.indexOf(':', NAMESPACE.length());
        if (!given.regionMatches(true, 0, NAMESPACE, 0, NAMESPACE.length()) || colon < 0) {
            throw fault(Fault.URN, expected, "a URN that is not an id (expected: " + urnForm(expected) + ")", given);
        }
        String label = given.substring(NAMESPACE.length(), colon);
        IdKind kind = IdKind.ofLabel(label);
        if (kind == null) {
            String description =
                    "a URN of unknown kind '" + TextSanitizer.escape(label) + "' (expected: " + urnForm(expected) + ")";
            throw fault(Fault.URN, expected, description, given);
        }
        return kind;
    }

    private static void checkCharacters(String given, int start, @Nullable IdKind wanted) {
        for (int i = start; i < given.length(); i++) {
            if (Base32.value(given.charAt(i)) < 0) {
                String character = TextSanitizer.escape(Character.toString(given.codePointAt(i)));
                String description = "bad character '" + character + "' at position " + (i + 1)
                        + " (expected: letters a-z and digits 2-7)";
                throw fault(Fault.CHARACTER, wanted, description, given);
            }
        }
    }

    private static Id parseText(String given, String text, @Nullable IdKind wanted) {
        if (wanted != null && isText(text, wanted)) {
            return idOf(text, wanted);
        }
        // By chance, one text in 2^24 also has the checksum of another kind. Therefore the wanted kind is tried first.
        for (IdKind kind : IdKind.values()) {
            if (isText(text, kind)) {
                if (wanted != null) {
                    throw wrongKind(given, kind, wanted);
                }
                return idOf(text, kind);
            }
        }
        if (!isLength(text.length(), wanted)) {
            String description = "wrong length, " + text.length() + " characters (expected: " + lengths(wanted) + ")";
            throw fault(Fault.LENGTH, wanted, description, given);
        }
        String description = "the checksum does not match; at least one character is wrong";
        throw fault(Fault.CHECKSUM, wanted, description, given);
    }

    private static boolean isText(String text, IdKind kind) {
        return text.length() == kind.textLength() && kind.isSealed(Base32.decode(text));
    }

    private static Id idOf(String text, IdKind kind) {
        return kind.create(Arrays.copyOf(Base32.decode(text), kind.payloadBytes()));
    }

    private static boolean isLength(int length, @Nullable IdKind wanted) {
        return wanted != null
                ? length == wanted.textLength()
                : length == IdKind.PEER.textLength() || length == IdKind.GROUP.textLength();
    }

    private static String lengths(@Nullable IdKind wanted) {
        return wanted != null
                ? Integer.toString(wanted.textLength())
                : IdKind.GROUP.textLength() + " or " + IdKind.PEER.textLength();
    }

    private static String urnForm(@Nullable IdKind expected) {
        return urn(expected == null ? IdKind.PEER : expected, "...");
    }

    private static IdFormatException wrongKind(String given, IdKind found, IdKind expected) {
        String description = "this is a " + found.label() + " id, expected a " + expected.label() + " id";
        return new IdFormatException(Fault.KIND, description, given);
    }

    private static IdFormatException fault(Fault fault, @Nullable IdKind kind, String description, String given) {
        String subject = kind == null ? "not an id: " : "not a " + kind.label() + " id: ";
        return new IdFormatException(fault, subject + description, given);
    }
}
