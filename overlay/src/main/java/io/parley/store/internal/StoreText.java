package io.parley.store.internal;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Checks texts that become part of a row key: they must be well-formed, so that their bytes represent exactly one text, and must not
 * contain U+0000, which terminates a text in the key.
 */
public final class StoreText {

    private StoreText() {}

    /**
     * Checks a text.
     *
     * @throws IllegalArgumentException naming the field, if the text contains U+0000 or is not well-formed
     */
    public static void check(String field, String text) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(field + ": has U+0000 (expected: text without it)");
        }
        try {
            StandardCharsets.UTF_8
                    .newEncoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .encode(CharBuffer.wrap(text));
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(field + ": malformed (expected: well-formed Unicode)", e);
        }
    }

    static void checkNotEmpty(String field, String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(field + ": empty (expected: at least one character)");
        }
        check(field, text);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
