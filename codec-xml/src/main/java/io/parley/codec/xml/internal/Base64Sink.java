package io.parley.codec.xml.internal;

import io.parley.message.Payload;
import java.util.Arrays;

/** Decodes padded base64 (RFC 4648, section 4). Skips white space at any position. */
final class Base64Sink implements ContentSink {
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    private static final char PAD = '=';
    private static final int GROUP_CHARS = 4;
    private static final int GROUP_BYTES = 3;
    /** The value of each digit; negative for all other characters. */
    private static final int[] VALUES = new int[128];

    static {
        Arrays.fill(VALUES, -1);
        for (int i = 0; i < ALPHABET.length(); i++) {
            VALUES[ALPHABET.charAt(i)] = i;
        }
    }

    private final ByteCollector collected;
    private final DecodeErrors errors;
    /** The bits of the incomplete group. */
    private int group;

    private int digits;
    private int pads;

    Base64Sink(ByteCollector collected, DecodeErrors errors) {
        this.collected = collected;
        this.errors = errors;
    }

    @Override
    public void append(char[] chars, int offset, int length) {
        int end = offset + length;
        int at = offset;
        while (at < end) {
            if (digits == 0 && pads == 0) {
                at = appendGroups(chars, at, end);
            }
            if (at < end) {
                appendOne(chars[at++]);
            }
        }
    }

    /**
     * Decodes complete groups without white space while the collector has room. Returns the index after the last one.
     */
    private int appendGroups(char[] chars, int from, int end) {
        byte[] bytes = collected.reserve(0);
        int start = collected.count();
        int room = collected.free();
        int position = start;
        int at = from;
        while (end - at >= GROUP_CHARS && room >= GROUP_BYTES) {
            char a = chars[at];
            char b = chars[at + 1];
            char c = chars[at + 2];
            char d = chars[at + 3];
            if ((a | b | c | d) >= VALUES.length) {
                break;
            }
            int value = VALUES[a] << 18 | VALUES[b] << 12 | VALUES[c] << 6 | VALUES[d];
            if (value < 0) {
                break;
            }
            bytes[position] = (byte) (value >> 16);
            bytes[position + 1] = (byte) (value >> 8);
            bytes[position + 2] = (byte) value;
            position += GROUP_BYTES;
            room -= GROUP_BYTES;
            at += GROUP_CHARS;
        }
        collected.advance(position - start);
        return at;
    }

    private void appendOne(char c) {
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            return;
        }
        if (c == PAD) {
            appendPad();
            return;
        }
        int value = c < VALUES.length ? VALUES[c] : -1;
        if (value < 0) {
            throw errors.malformed(String.format("element content: U+%04X (expected: a digit of base64)", (int) c));
        }
        if (pads > 0) {
            throw errors.malformed("element content: base64 continues after the padding");
        }
        group = group << 6 | value;
        digits++;
        if (digits == GROUP_CHARS) {
            finishGroup(GROUP_BYTES, group);
        }
    }

    private void appendPad() {
        if (digits < 2) { // also after the padding, when there are no digits
            throw errors.malformed("element content: unexpected '=' in base64");
        }
        pads++;
        if (digits + pads == GROUP_CHARS) {
            finishGroup(GROUP_BYTES - pads, group << (6 * pads));
        }
    }

    private void finishGroup(int length, int value) {
        byte[] bytes = collected.reserve(length);
        int position = collected.count();
        for (int i = 0; i < length; i++) {
            bytes[position + i] = (byte) (value >> (16 - 8 * i));
        }
        collected.advance(length);
        group = 0;
        digits = 0;
    }

    @Override
    public Payload finish() {
        if (digits != 0) {
            throw errors.malformed("element content: base64 ends in an incomplete group of four digits");
        }
        return collected.toPayload();
    }
}
