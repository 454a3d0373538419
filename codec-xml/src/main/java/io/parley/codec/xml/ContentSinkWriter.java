package io.parley.codec.xml;

import io.parley.codec.xml.internal.ContentSink;
import java.io.Writer;

/** A writer that forwards the text of the parser to a {@link ContentSink}. The parser does not buffer the text. */
final class ContentSinkWriter extends Writer {
    private final XmlInput in;
    private final ContentSink sink;
    private final char[] single = new char[1];

    ContentSinkWriter(XmlInput in, ContentSink sink) {
        this.in = in;
        this.sink = sink;
    }

    @Override
    public void write(char[] chars, int offset, int length) {
        in.beginItem();
        sink.append(chars, offset, length);
    }

    @Override
    public void write(int c) {
        single[0] = (char) c;
        write(single, 0, 1);
    }

    @Override
    public void flush() {
        // nothing is buffered
    }

    @Override
    public void close() {
        // there is nothing to close
    }
}
