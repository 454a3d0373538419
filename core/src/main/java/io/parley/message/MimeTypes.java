package io.parley.message;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks MIME types and reads their charset parameter (RFC 2045, section 5.1). */
final class MimeTypes {

    /** No charset has a longer name. */
    private static final int MAX_NAME_CHARS = 100;

    /** The charsets of this JVM by their names in lower case. A holder, because most types name UTF-8, and the set takes time to make. */
    private static final class KnownCharsets {

        private static final Map<String, Charset> BY_NAME = byName();

        private static Map<String, Charset> byName() {
            Map<String, Charset> known = new HashMap<>();
            for (Charset charset : Charset.availableCharsets().values()) {
                charset.aliases().forEach(alias -> known.putIfAbsent(alias.toLowerCase(Locale.ROOT), charset));
            }
            for (Charset charset :
                    Charset.availableCharsets().values()) { // a name precedes an alias of another charset
                known.put(charset.name().toLowerCase(Locale.ROOT), charset);
            }
            return Map.copyOf(known);
        }
    }

    private MimeTypes() {}

    /** Returns whether a type has the form {@code type/subtype}, with or without parameters. JXTA rejects messages with other types. */
    static boolean isValid(String type) {
        int end = type.indexOf(';');
        if (end < 0) {
            end = type.length();
        }
        int slash = type.indexOf('/');
        return isToken(type, 0, slash) && isToken(type, slash + 1, end) && isPrintable(type, end);
    }

    private static boolean isToken(String text, int start, int end) {
        for (int i = start; i < end; i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c >= 0x7F || "()<>@,;:\\\"/[]?=".indexOf(c) >= 0) {
                return false;
            }
        }
        return start < end;
    }

    private static boolean isPrintable(String text, int start) {
        for (int i = start; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c >= 0x7F) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the charset that the type's parameter names, by IANA or Java name; UTF-8 if there is no such parameter, and
     * {@code null} if this JVM does not support the charset.
     */
    static @Nullable Charset charsetOf(String type) {
        String name = parameter(type, "charset");
        if (name == null) {
            return StandardCharsets.UTF_8;
        }
        // Not Charset.forName: a remote peer chooses the name, and each unknown one is a search of all providers of the
        // class path.
        return name.length() > MAX_NAME_CHARS ? null : KnownCharsets.BY_NAME.get(name.toLowerCase(Locale.ROOT));
    }

    private static @Nullable String parameter(String type, String name) {
        for (int start = type.indexOf(';'); start >= 0; ) {
            int end = type.indexOf(';', start + 1);
            String parameter = type.substring(start + 1, end < 0 ? type.length() : end);
            int equals = parameter.indexOf('=');
            if (equals >= 0
                    && parameter
                            .substring(0, equals)
                            .strip()
                            .toLowerCase(Locale.ROOT)
                            .equals(name)) {
                String value = parameter.substring(equals + 1).strip();
                boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
                return quoted ? value.substring(1, value.length() - 1) : value;
            }
            start = end;
        }
        return null;
    }
}
