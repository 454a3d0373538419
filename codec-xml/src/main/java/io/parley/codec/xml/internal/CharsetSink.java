package io.parley.codec.xml.internal;

import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;

/** Encodes characters with any charset that supports encoding. */
final class CharsetSink implements ContentSink {
    private final CharsetEncoder encoder;
    private final ByteCollector collected;
    private final DecodeErrors errors;
    /** The high surrogate at the end of the previous characters, if any. */
    private final CharBuffer pair = CharBuffer.allocate(2);

    CharsetSink(Charset charset, ByteCollector collected, DecodeErrors errors) {
        this.encoder = charset.newEncoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        this.collected = collected;
        this.errors = errors;
    }

    @Override
    public void append(char[] chars, int offset, int length) {
        if (length == 0) {
            return;
        }
        int at = offset;
        int end = offset + length;
        if (pair.position() > 0) {
            pair.put(chars[at++]).flip();
            encode(pair, false);
            pair.clear();
        }
        if (at < end && Character.isHighSurrogate(chars[end - 1])) {
            pair.put(chars[--end]);
        }
        encode(CharBuffer.wrap(chars, at, end - at), false);
    }

    private void encode(CharBuffer chars, boolean last) {
        while (true) {
            ByteBuffer target = ByteBuffer.wrap(collected.reserve(0), collected.count(), collected.free());
            CoderResult result = encoder.encode(chars, target, last);
            if (result.isUnderflow() && last) {
                result = encoder.flush(target);
            }
            collected.advance(target.position() - collected.count());
            if (result.isError()) {
                throw errors.malformed("element content: characters that the charset of its type, "
                        + encoder.charset().name() + ", cannot encode");
            }
            if (result.isUnderflow()) {
                return;
            }
            collected.reserve(collected.free() + 1);
        }
    }

    @Override
    public Payload finish() {
        encode(pair.flip(), true);
        return collected.toPayload();
    }
}
