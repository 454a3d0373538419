package io.parley.codec.xml;

import io.parley.codec.MessageLimits;
import io.parley.codec.xml.internal.ContentSink;
import io.parley.codec.xml.internal.DecodeErrors;
import io.parley.codec.xml.internal.ElementHead;
import io.parley.codec.xml.internal.FormDecoder;
import io.parley.codec.xml.internal.FormNames;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import javax.xml.stream.XMLStreamConstants;

/** Creates a message from the events of a document. Accepts each document that is equivalent to one of the writer. */
final class XmlMessageReader {
    private final XmlDocumentReader document;
    private final FormDecoder form;
    private final ContentSinkWriter whitespace;

    XmlMessageReader(XmlDocumentReader document, MessageLimits limits) {
        this.document = document;
        this.form = new FormDecoder(limits, document::remainingBytes, document.errors());
        this.whitespace = document.newTextWriter(new WhitespaceSink(document.errors()));
    }

    /** Reads the document to its end and returns its message. */
    Message read() {
        beginRoot();
        Message.Builder message = Message.compactBuilder();
        while (true) {
            switch (document.next()) {
                case XMLStreamConstants.START_ELEMENT -> message.add(readElement());
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> document.readText(whitespace);
                case XMLStreamConstants.END_ELEMENT -> {
                    document.next(); // the end of the document: the parser rejects content after the root
                    return message.build();
                }
                default -> throw unexpected();
            }
        }
    }

    private void beginRoot() {
        int event = document.next();
        if (event == XMLStreamConstants.DTD) {
            document.checkDoctype();
            event = document.next();
        }
        if (event != XMLStreamConstants.START_ELEMENT) {
            throw unexpected();
        }
        checkElementName(FormNames.MESSAGE);
        form.checkVersion(document.attribute(FormNames.VERSION));
    }

    private MessageElement readElement() {
        checkElementName(FormNames.ELEMENT);
        ElementHead head = form.beginElement(
                document.attribute(FormNames.NAME),
                document.attribute(FormNames.TYPE),
                document.attribute(FormNames.ENCODING));
        ContentSink content = head.octets() ? form.base64() : form.characters(head);
        ContentSinkWriter text = document.newTextWriter(content);
        while (true) {
            switch (document.next()) {
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> document.readText(text);
                case XMLStreamConstants.END_ELEMENT -> {
                    return head.with(content.finish());
                }
                case XMLStreamConstants.START_ELEMENT ->
                    throw document.errors()
                            .malformed(
                                    "element " + quotedName() + " in " + FormNames.ELEMENT + " (expected: only text)");
                default -> throw unexpected();
            }
        }
    }

    private void checkElementName(String expected) {
        if (!document.elementName().equals(expected)) {
            throw document.errors().malformed("element " + quotedName() + " (expected: " + expected + ")");
        }
    }

    private String quotedName() {
        return FormDecoder.quote(document.elementName());
    }

    private RuntimeException unexpected() {
        return document.errors().malformed("unexpected item (expected: an element or text)");
    }

    /** Checks that the text between elements is white space. */
    private static final class WhitespaceSink implements ContentSink {
        private static final Payload EMPTY = Payload.of(new byte[0]);

        private final DecodeErrors errors;

        WhitespaceSink(DecodeErrors errors) {
            this.errors = errors;
        }

        @Override
        public void append(char[] chars, int offset, int length) {
            for (int i = offset; i < offset + length; i++) {
                char c = chars[i];
                if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
                    throw errors.malformed("text between elements (expected: white space)");
                }
            }
        }

        @Override
        public Payload finish() {
            return EMPTY;
        }
    }
}
