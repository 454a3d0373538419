package io.parley.codec.xml;

import io.parley.codec.xml.internal.ContentSink;
import java.io.Writer;

/** Where the parser writes text as it reads it, in pieces that it does not keep. */
final class ContentSinkWriter extends Writer {
    private final XmlInput in;
    private final ContentSink sink;
    private final char[] one = new char[1];

    ContentSinkWriter(XmlInput in, ContentSink sink) {
        this.in = in;
        this.sink = sink;
    }

    @Override
    public void write(char[] chars, int offset, int length) {
        in.beginPiece();
        sink.append(chars, offset, length);
    }

    @Override
    public void write(int c) {
        one[0] = (char) c;
        write(one, 0, 1);
    }

    @Override
    public void flush() {
        // nothing is held back
    }

    @Override
    public void close() {
        // nothing is open
    }
}
