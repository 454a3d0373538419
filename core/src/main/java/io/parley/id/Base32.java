package io.parley.id;

/** Encodes and decodes base32 (RFC 4648 section 6) in lower case, in whole groups of five bytes only: no padding, no unused bits. */
final class Base32 {
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

    private Base32() {}

    static int textLength(int bytes) {
        return bytes / 5 * 8;
    }

    /** Returns the value of a character in either case, or -1 if the character is not in the alphabet. */
    static int value(char c) {
        if (c >= 'a' && c <= 'z') {
            return c - 'a';
        }
        if (c >= 'A' && c <= 'Z') {
            return c - 'A';
        }
        return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
    }

    /** Encodes bytes, the number of which must be a multiple of five. */
    static String encode(byte[] bytes) {
        StringBuilder text = new StringBuilder(textLength(bytes.length));
        for (int i = 0; i < bytes.length; i += 5) {
            long group = 0;
            for (int j = 0; j < 5; j++) {
                group = (group << 8) | (bytes[i + j] & 0xff);
            }
            for (int shift = 35; shift >= 0; shift -= 5) {
                text.append(ALPHABET.charAt((int) (group >>> shift) & 31));
            }
        }
        return text.toString();
    }

    /** Decodes a text. Its length must be a multiple of eight, and all characters must be in the alphabet. */
    static byte[] decode(String text) {
        byte[] bytes = new byte[text.length() / 8 * 5];
        for (int i = 0, at = 0; i < text.length(); i += 8) {
            long group = 0;
            for (int j = 0; j < 8; j++) {
                group = (group << 5) | value(text.charAt(i + j));
            }
            for (int shift = 32; shift >= 0; shift -= 8) {
                bytes[at++] = (byte) (group >>> shift);
            }
        }
        return bytes;
    }
}
