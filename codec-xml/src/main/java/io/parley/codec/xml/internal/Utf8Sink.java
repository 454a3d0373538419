package io.parley.codec.xml.internal;

import io.parley.message.Payload;

/** Encodes characters in UTF-8. */
final class Utf8Sink implements ContentSink {
    /** The maximum number of characters that are scanned before room is reserved for them. */
    private static final int RUN_CHARS = 4096;

    private final ByteCollector collected;
    private final DecodeErrors errors;
    /** The high surrogate at the end of the previous characters; otherwise 0. */
    private char high;

    Utf8Sink(ByteCollector collected, DecodeErrors errors) {
        this.collected = collected;
        this.errors = errors;
    }

    @Override
    public void append(char[] chars, int offset, int length) {
        int end = offset + length;
        int at = offset;
        while (at < end) {
            char c = chars[at];
            if (c < 0x80 && high == 0) {
                at = appendAscii(chars, at, Math.min(end, at + RUN_CHARS));
            } else {
                appendOther(c);
                at++;
            }
        }
    }

    private int appendAscii(char[] chars, int from, int end) {
        int to = from;
        while (to < end && chars[to] < 0x80) {
            to++;
        }
        byte[] bytes = collected.reserve(to - from);
        int position = collected.count();
        for (int i = from; i < to; i++) {
            bytes[position++] = (byte) chars[i];
        }
        collected.advance(to - from);
        return to;
    }

    private void appendOther(char c) {
        if (high != 0) {
            if (!Character.isLowSurrogate(c)) {
                throw unpaired(high);
            }
            appendSupplementary(Character.toCodePoint(high, c));
            high = 0;
        } else if (c < 0x800) {
            byte[] bytes = collected.reserve(2);
            int position = collected.count();
            bytes[position] = (byte) (0xC0 | c >> 6);
            bytes[position + 1] = continuation(c);
            collected.advance(2);
        } else if (!Character.isSurrogate(c)) {
            byte[] bytes = collected.reserve(3);
            int position = collected.count();
            bytes[position] = (byte) (0xE0 | c >> 12);
            bytes[position + 1] = continuation(c >> 6);
            bytes[position + 2] = continuation(c);
            collected.advance(3);
        } else if (Character.isHighSurrogate(c)) {
            high = c;
        } else {
            throw unpaired(c);
        }
    }

    private void appendSupplementary(int codePoint) {
        byte[] bytes = collected.reserve(4);
        int position = collected.count();
        bytes[position] = (byte) (0xF0 | codePoint >> 18);
        bytes[position + 1] = continuation(codePoint >> 12);
        bytes[position + 2] = continuation(codePoint >> 6);
        bytes[position + 3] = continuation(codePoint);
        collected.advance(4);
    }

    private static byte continuation(int bits) {
        return (byte) (0x80 | (bits & 0x3F));
    }

    @Override
    public Payload finish() {
        if (high != 0) {
            throw unpaired(high);
        }
        return collected.toPayload();
    }

    private RuntimeException unpaired(char surrogate) {
        return errors.malformed(String.format("element content: unpaired surrogate U+%04X", (int) surrogate));
    }
}
