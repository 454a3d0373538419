package io.parley.codec.xml;

import io.parley.codec.xml.internal.ContentSink;
import io.parley.codec.xml.internal.DecodeErrors;
import io.parley.message.Payload;

/** Takes the text between elements, which is to be white space. */
final class WhitespaceSink implements ContentSink {
    private static final Payload NOTHING = Payload.of(new byte[0]);

    private final DecodeErrors faults;

    WhitespaceSink(DecodeErrors faults) {
        this.faults = faults;
    }

    @Override
    public void append(char[] chars, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            char c = chars[i];
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
                throw faults.malformed("text between elements (expected: white space)");
            }
        }
    }

    @Override
    public Payload finish() {
        return NOTHING;
    }
}
