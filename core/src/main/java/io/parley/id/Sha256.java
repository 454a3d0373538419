package io.parley.id;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.Normalizer;
import java.util.Arrays;

/** SHA-256 (FIPS 180-4), the only hash function of this package, and its use to derive ids from names. */
final class Sha256 {
    private Sha256() {}

    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is required of every Java platform", e);
        }
    }

    /**
     * Returns the first 16 bytes of {@code SHA-256(domain || 0 || scope || UTF-8(NFC(name)))}. The name is normalized
     * because two texts that look the same may consist of different characters.
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
            // String.getBytes replaces each unpaired surrogate by '?', so different names would get the same id.
            return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name));
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "name: contains an unpaired surrogate (expected: well-formed Unicode)", e);
        }
    }
}
