package io.parley.codec.xml.fastinfoset;

import io.parley.codec.MessageLimits;
import io.parley.codec.xml.fastinfoset.FastInfosetFormat.Name;
import io.parley.codec.xml.internal.Content;
import io.parley.codec.xml.internal.ElementForm;
import io.parley.codec.xml.internal.FormEncoder;
import io.parley.codec.xml.internal.FormNames;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes messages to an output. Refers to the vocabulary for values that previous messages have written. */
final class FastInfosetMessageWriter {
    private static final byte[] VERSION_0 = utf8(FormNames.VERSION_0);
    private static final byte[] BASE64 = utf8(FormNames.BASE64);

    private final MessageLimits limits;
    private final EncoderVocabulary vocabulary;
    private final FastInfosetOutput out;

    FastInfosetMessageWriter(MessageLimits limits, EncoderVocabulary vocabulary, FastInfosetOutput out) {
        this.limits = limits;
        this.vocabulary = vocabulary;
        this.out = out;
    }

    void write(Message message) {
        FormEncoder form = FormEncoder.of(message, limits);
        writeRoot();
        List<MessageElement> elements = message.elements();
        for (int i = 0; i < elements.size(); i++) {
            writeElement(elements.get(i), form);
            FormEncoder.checkMessageBytes(out.size(), limits);
        }
        out.end();
        out.end(); // of the document
        FormEncoder.checkMessageBytes(out.size(), limits);
    }

    private void writeRoot() {
        boolean complete = vocabulary.beginMessage();
        if (complete) {
            out.bytes(FastInfosetFormat.header());
        }
        out.u8(0); // no optional properties
        if (complete) {
            literalElementName(Name.MESSAGE);
            literalAttributeName(Name.VERSION);
            out.attributeValue(VERSION_0, true);
            vocabulary.addVersion(VERSION_0.length);
        } else {
            out.u8(FastInfosetFormat.ATTRIBUTES_FLAG | FastInfosetFormat.INDEX_MESSAGE);
            out.u8(FastInfosetFormat.INDEX_VERSION);
            out.attributeValueIndex(0);
        }
        out.end();
    }

    private void writeElement(MessageElement element, FormEncoder form) {
        int name = vocabulary.name(element.namespace(), element.name());
        int type = vocabulary.type(element.type());
        if (name != EncoderVocabulary.ABSENT && type != EncoderVocabulary.ABSENT) {
            Content content = form.nextContent(element);
            writeElementStart();
            out.attributeValueIndex(name);
            out.u8(FastInfosetFormat.INDEX_TYPE);
            out.attributeValueIndex(type);
            writeContent(content);
        } else {
            writeNewElement(element, form.next(element), name, type);
        }
        out.end();
    }

    /** Writes an element whose name or type is not in the table. */
    private void writeNewElement(MessageElement element, ElementForm form, int name, int type) {
        boolean namesAdded = writeElementStart();
        if (name != EncoderVocabulary.ABSENT) {
            out.attributeValueIndex(name);
        } else if (form.name().isEmpty()) {
            out.u8(FastInfosetFormat.VALUE_EMPTY);
        } else {
            byte[] utf8 = utf8(form.name());
            out.attributeValue(utf8, vocabulary.addName(element.namespace(), element.name(), utf8.length));
        }
        if (namesAdded) {
            literalAttributeName(Name.TYPE);
        } else {
            out.u8(FastInfosetFormat.INDEX_TYPE);
        }
        if (type != EncoderVocabulary.ABSENT) {
            out.attributeValueIndex(type);
        } else {
            byte[] utf8 = utf8(form.type());
            out.attributeValue(utf8, vocabulary.addType(form.type(), utf8.length));
        }
        writeContent(form.content());
    }

    /**
     * Writes an element up to the value of its first attribute. Returns whether its names are new, so that the names of
     * the following attributes must be spelled out as well.
     */
    private boolean writeElementStart() {
        boolean added = vocabulary.addElementNames();
        if (added) {
            literalElementName(Name.ELEMENT);
            literalAttributeName(Name.NAME);
        } else {
            out.u8(FastInfosetFormat.ATTRIBUTES_FLAG | FastInfosetFormat.INDEX_ELEMENT);
            out.u8(FastInfosetFormat.INDEX_NAME);
        }
        return added;
    }

    private void literalElementName(Name name) {
        out.u8(FastInfosetFormat.ATTRIBUTES_FLAG | FastInfosetFormat.ELEMENT_LITERAL);
        out.name(name.utf8());
    }

    private void literalAttributeName(Name name) {
        out.u8(FastInfosetFormat.ATTRIBUTE_LITERAL);
        out.name(name.utf8());
    }

    private void writeContent(Content content) {
        if (content instanceof Content.Octets octets) {
            writeEncoding();
            out.end();
            writeChunk(octets.payload(), true);
            return;
        }
        out.end();
        if (content instanceof Content.Utf8 characters) {
            writeChunk(characters.payload(), false);
        } else {
            writeChunk(Payload.of(utf8(((Content.Text) content).text())), false);
        }
    }

    private void writeEncoding() {
        int base64 = vocabulary.base64();
        if (base64 == EncoderVocabulary.ABSENT) {
            literalAttributeName(Name.ENCODING);
            out.attributeValue(BASE64, true);
            vocabulary.addBase64(BASE64.length);
        } else {
            out.u8(FastInfosetFormat.INDEX_ENCODING);
            out.attributeValueIndex(base64);
        }
    }

    private void writeChunk(Payload payload, boolean octets) {
        if (payload.size() == 0) {
            return;
        }
        if (!EncoderVocabulary.mayAdd(payload)) {
            out.chunk(payload, octets, false);
            return;
        }
        int hash = ChunkIndex.hash(payload, octets);
        int index = vocabulary.chunk(payload, hash);
        if (index == EncoderVocabulary.ABSENT) {
            out.chunk(payload, octets, vocabulary.addChunk(payload, hash));
        } else {
            out.chunkIndex(index);
        }
    }

    private static byte[] utf8(String string) {
        return string.getBytes(StandardCharsets.UTF_8);
    }
}
