package io.parley.id;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.Normalizer;
import java.util.Arrays;

/** The one hash of this package (FIPS 180-4), and names made into bytes with it. */
final class Sha256 {
    private Sha256() {}

    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /**
     * The first 16 bytes of {@code SHA-256(domain || 0 || scope || UTF-8(NFC(name)))}. Two texts that look the same may
     * consist of different characters, hence the normal form.
     */
    static byte[] ofName(String domain, byte[] scope, String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("name: empty (expected: at least 1 character)");
        }
        MessageDigest digest = digest();
        digest.update(domain.getBytes(StandardCharsets.US_ASCII));
        digest.update((byte) 0);
        digest.update(scope);
        digest.update(utf8(Normalizer.normalize(name, Normalizer.Form.NFC)));
        return Arrays.copyOf(digest.digest(), 16);
    }

    private static ByteBuffer utf8(String name) {
        try {
            // String.getBytes would turn every half surrogate pair into '?', and so make one id of different names.
            return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name));
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("name: has half a surrogate pair (expected: well-formed Unicode)", e);
        }
    }
}
