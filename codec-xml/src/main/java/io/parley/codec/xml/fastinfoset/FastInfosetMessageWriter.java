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

/** Writes one message after the other into an output, by what the vocabulary knows of those before. */
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
        boolean afresh = vocabulary.begin();
        if (afresh) {
            out.bytes(FastInfosetFormat.header());
        }
        out.u8(0); // no optional properties
        if (afresh) {
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

    /** Where a name or a type is not in the table. */
    private void writeNewElement(MessageElement element, ElementForm form, int name, int type) {
        boolean namesKnown = writeElementStart();
        if (name != EncoderVocabulary.ABSENT) {
            out.attributeValueIndex(name);
        } else if (form.name().isEmpty()) {
            out.u8(FastInfosetFormat.VALUE_EMPTY);
        } else {
            byte[] utf8 = utf8(form.name());
            out.attributeValue(utf8, vocabulary.addName(element.namespace(), element.name(), utf8.length));
        }
        if (namesKnown) {
            out.u8(FastInfosetFormat.INDEX_TYPE);
        } else {
            literalAttributeName(Name.TYPE);
        }
        if (type != EncoderVocabulary.ABSENT) {
            out.attributeValueIndex(type);
        } else {
            byte[] utf8 = utf8(form.type());
            out.attributeValue(utf8, vocabulary.addType(form.type(), utf8.length));
        }
        writeContent(form.content());
    }

    /** An element up to the value of its first attribute; whether the names were known, and so are those to come. */
    private boolean writeElementStart() {
        boolean known = vocabulary.knewElement();
        if (known) {
            out.u8(FastInfosetFormat.ATTRIBUTES_FLAG | FastInfosetFormat.INDEX_ELEMENT);
            out.u8(FastInfosetFormat.INDEX_NAME);
        } else {
            literalElementName(Name.ELEMENT);
            literalAttributeName(Name.NAME);
        }
        return known;
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
