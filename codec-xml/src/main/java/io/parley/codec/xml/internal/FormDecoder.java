package io.parley.codec.xml.internal;

import io.parley.codec.MessageLimits;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Makes elements from what a reader finds in a document, in order, and refuses what breaks the format or goes past a
 * limit. For one thread, and for one message after the other. Whatever is refused fails with a {@link io.parley.error.PeerFaultException}.
 */
public final class FormDecoder {
    private static final Payload EMPTY = Payload.of(new byte[0]);

    private static final int SHOWN_CHARS = 40;

    private final MessageLimits limits;
    private final DecodeErrors faults;
    private final NamespaceCounter namespaces = new NamespaceCounter();
    private @Nullable ByteCollector collected;
    private int elements;

    public FormDecoder(MessageLimits limits, DecodeErrors faults) {
        this.limits = limits;
        this.faults = faults;
    }

    /** Forgets what was read so far, for another message. */
    public void beginMessage() {
        namespaces.clear();
        collected = null; // what it holds may be large
        elements = 0;
    }

    /** Checks the attribute {@link FormNames#VERSION} of the root, {@code null} when it is not there. */
    public void version(@Nullable String version) {
        if (!FormNames.VERSION_0.equals(version)) {
            throw faults.malformed("version: " + shown(version) + " (expected: " + FormNames.VERSION_0 + ")");
        }
    }

    /** Begins an element, with the values of its three attributes; {@code null} stands for one that is not there. */
    public ElementHead begin(@Nullable String name, @Nullable String type, @Nullable String encoding) {
        return begin(name == null ? null : QualifiedName.parse(name), type, encoding);
    }

    /** Begins an element whose name has been taken apart. */
    public ElementHead begin(@Nullable QualifiedName parts, @Nullable String type, @Nullable String encoding) {
        if (parts == null) {
            throw faults.malformed("attribute " + FormNames.NAME + ": missing");
        }
        if (encoding != null && !encoding.equals(FormNames.BASE64)) {
            throw faults.malformed("attribute " + FormNames.ENCODING + ": " + shown(encoding) + " (expected: "
                    + FormNames.BASE64 + " or none)");
        }
        checkString("namespace", parts.namespace());
        checkString("element name", parts.name());
        count(parts.namespace());
        MessageElement empty = emptyElement(parts, type);
        boolean octets = encoding != null;
        return new ElementHead(empty, octets, octets ? null : empty.charset().orElse(null));
    }

    /** Begins an element whose head this decoder, or one with the same limits, has made before. */
    public void begin(ElementHead known) {
        count(known.empty().namespace());
    }

    private void count(String namespace) {
        elements++;
        if (elements > limits.maxElements()) {
            throw faults.overLimit("elements", elements, "maxElements", limits.maxElements());
        }
        int namespaceCount = namespaces.add(namespace);
        if (namespaceCount > limits.maxNamespaces()) {
            throw faults.overLimit("namespaces", namespaceCount, "maxNamespaces", limits.maxNamespaces());
        }
    }

    private MessageElement emptyElement(QualifiedName name, @Nullable String type) {
        if (type != null && !type.equals(MessageElement.TYPE_BYTES)) {
            checkString("type", type);
        }
        try {
            return MessageElement.of(
                    name.namespace(), name.name(), type == null ? MessageElement.TYPE_BYTES : type, EMPTY);
        } catch (IllegalArgumentException e) {
            throw faults.malformed("attribute " + FormNames.TYPE + ": " + e.getMessage());
        }
    }

    private void checkString(String what, String string) {
        int bytes = XmlCharacters.utf8Length(string);
        if (bytes == XmlCharacters.NOT_XML) {
            throw faults.malformed(
                    what + ": has " + XmlCharacters.firstOffender(string) + " (expected: characters of XML 1.0)");
        }
        if (bytes > limits.maxNameBytes()) {
            throw faults.overLimit(what, bytes, "maxNameBytes", limits.maxNameBytes());
        }
    }

    /**
     * Where the characters inside an element go: they become the bytes of the element's charset. Only one sink is in use
     * at a time.
     */
    public ContentSink characters(ElementHead head) {
        ByteCollector bytes = beginContent();
        Charset charset = head.charset();
        if (charset == null || !charset.canEncode()) {
            throw faults.malformed("attribute " + FormNames.TYPE + ": unknown charset in "
                    + head.empty().type());
        }
        return charset.equals(StandardCharsets.UTF_8)
                ? new Utf8Sink(bytes, faults)
                : new CharsetSink(charset, bytes, faults);
    }

    /** Where the characters inside an element go when they are base64, with white space anywhere. */
    public ContentSink base64() {
        return new Base64Sink(beginContent(), faults);
    }

    private ByteCollector beginContent() {
        if (collected == null) {
            collected = new ByteCollector(limits.maxElementBytes(), faults);
        }
        collected.begin();
        return collected;
    }

    /** Checks the length of content that the reader has as octets, before it takes memory for it. */
    public void checkContentBytes(long bytes) {
        if (bytes > limits.maxElementBytes()) {
            throw faults.overLimit("element content", bytes, "maxElementBytes", limits.maxElementBytes());
        }
    }

    /** Checks that characters which the reader has as UTF-8 are such, and nothing but what XML can say. */
    public void checkCharacters(byte[] bytes, int offset, int length) {
        if (!XmlCharacters.areUtf8(bytes, offset, length)) {
            throw faults.malformed("characters: not UTF-8, or not what XML 1.0 can say");
        }
    }

    /** A value from outside for messages to people: quoted, and cut when it is long. */
    public static String shown(@Nullable String value) {
        if (value == null) {
            return "none";
        }
        return value.length() <= SHOWN_CHARS ? "'" + value + "'" : "'" + value.substring(0, SHOWN_CHARS) + "...'";
    }
}
