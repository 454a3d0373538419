package io.parley.codec.xml;

import io.parley.codec.MessageLimits;
import io.parley.codec.xml.internal.ContentSink;
import io.parley.codec.xml.internal.ElementHead;
import io.parley.codec.xml.internal.FormDecoder;
import io.parley.codec.xml.internal.FormNames;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLStreamConstants;

/** Makes a message from the events of a document, and takes any document that says the same as ours would. */
final class XmlMessageReader {
    private final XmlDocumentReader events;
    private final FormDecoder form;
    private final ContentSinkWriter blank;

    XmlMessageReader(XmlDocumentReader events, MessageLimits limits) {
        this.events = events;
        this.form = new FormDecoder(limits, events.faults());
        this.blank = events.textTo(new WhitespaceSink(events.faults()));
    }

    /** Reads the document to its end. */
    Message read() {
        beginRoot();
        List<MessageElement> elements = new ArrayList<>();
        while (true) {
            switch (events.next()) {
                case XMLStreamConstants.START_ELEMENT -> elements.add(readElement());
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> events.passText(blank);
                case XMLStreamConstants.END_ELEMENT -> {
                    events.next(); // the end: the parser takes nothing else behind the root
                    return Message.of(elements);
                }
                default -> throw unexpected();
            }
        }
    }

    private void beginRoot() {
        int event = events.next();
        if (event == XMLStreamConstants.DTD) {
            events.checkDoctype();
            event = events.next();
        }
        if (event != XMLStreamConstants.START_ELEMENT) {
            throw unexpected();
        }
        checkElementName(FormNames.MESSAGE);
        form.version(events.attribute(FormNames.VERSION));
    }

    private MessageElement readElement() {
        checkElementName(FormNames.ELEMENT);
        ElementHead head = form.begin(
                events.attribute(FormNames.NAME),
                events.attribute(FormNames.TYPE),
                events.attribute(FormNames.ENCODING));
        ContentSink content = head.octets() ? form.base64() : form.characters(head);
        ContentSinkWriter text = events.textTo(content);
        while (true) {
            switch (events.next()) {
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> events.passText(text);
                case XMLStreamConstants.END_ELEMENT -> {
                    return head.with(content.finish());
                }
                case XMLStreamConstants.START_ELEMENT ->
                    throw events.faults()
                            .malformed("element " + shownName() + " inside " + FormNames.ELEMENT
                                    + " (expected: text alone)");
                default -> throw unexpected();
            }
        }
    }

    private void checkElementName(String expected) {
        if (!events.elementName().equals(expected)) {
            throw events.faults().malformed("element " + shownName() + " (expected: " + expected + ")");
        }
    }

    private String shownName() {
        return FormDecoder.shown(events.elementName());
    }

    private RuntimeException unexpected() {
        return events.faults().malformed("something that is neither an element nor text");
    }
}
