package io.parley.codec.xml.internal;

import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;

/** Makes bytes of characters by any charset that can encode. */
final class CharsetSink implements ContentSink {
    private final CharsetEncoder encoder;
    private final ByteCollector collected;
    private final DecodeErrors faults;
    /** Holds the first half of a surrogate pair, when a piece ended in it. */
    private final CharBuffer pair = CharBuffer.allocate(2);

    CharsetSink(Charset charset, ByteCollector collected, DecodeErrors faults) {
        this.encoder = charset.newEncoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        this.collected = collected;
        this.faults = faults;
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
            collected.written(target.position() - collected.count());
            if (result.isError()) {
                throw faults.malformed("element content: has characters that "
                        + encoder.charset().name() + ", the charset of its type, can't say");
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
        return collected.take();
    }
}
