package io.parley.codec.xml.internal;

import io.parley.codec.MessageLimits;
import io.parley.common.internal.TextSanitizer;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks and decodes the elements of a document in order, for one message at a time. All methods fail with a
 * {@link io.parley.error.PeerFaultException} if the document violates the format or a limit. Not thread-safe.
 */
public final class FormDecoder {
    private static final Payload EMPTY = Payload.of(new byte[0]);

    /** Room for comments and unknown attributes in addition to the longest names and types, in bytes. */
    private static final int SPARE_MARKUP_BYTES = 64 * 1024;
    /** A namespace, a name and a type, each byte of which is written as a reference of six characters. */
    private static final int MARKUP_BYTES_PER_NAME_BYTE = 3 * 6;

    private static final int MAX_QUOTED_CHARS = 40;

    private final MessageLimits limits;
    private final LongSupplier remainingBytes;
    private final DecodeErrors errors;
    private final NamespaceCounter namespaces = new NamespaceCounter();
    private @Nullable ByteCollector collected;
    private int elements;

    /** @param remainingBytes returns how many bytes of the document have not been read */
    public FormDecoder(MessageLimits limits, LongSupplier remainingBytes, DecodeErrors errors) {
        this.limits = limits;
        this.remainingBytes = remainingBytes;
        this.errors = errors;
    }

    /** Returns the length in bytes of the longest item of markup, such as a tag, that readers accept. */
    public static int maxMarkupBytes(MessageLimits limits) {
        return MARKUP_BYTES_PER_NAME_BYTE * limits.maxNameBytes() + SPARE_MARKUP_BYTES;
    }

    /** Discards the state of the previous message. */
    public void beginMessage() {
        namespaces.clear();
        collected = null; // its array may be large
        elements = 0;
    }

    /** Checks the attribute {@link FormNames#VERSION} of the root; {@code null} means that it is absent. */
    public void checkVersion(@Nullable String version) {
        if (!FormNames.VERSION_0.equals(version)) {
            throw errors.malformed("version: " + quote(version) + " (expected: " + FormNames.VERSION_0 + ")");
        }
    }

    /** Begins an element with the values of its three attributes; {@code null} means that an attribute is absent. */
    public ElementHead beginElement(@Nullable String name, @Nullable String type, @Nullable String encoding) {
        return beginElement(name == null ? null : QualifiedName.parse(name), type, encoding);
    }

    /** Begins an element whose qualified name is already parsed. */
    public ElementHead beginElement(@Nullable QualifiedName parts, @Nullable String type, @Nullable String encoding) {
        if (parts == null) {
            throw errors.malformed("attribute " + FormNames.NAME + ": missing");
        }
        if (encoding != null && !encoding.equals(FormNames.BASE64)) {
            throw errors.malformed("attribute " + FormNames.ENCODING + ": " + quote(encoding) + " (expected: "
                    + FormNames.BASE64 + " or none)");
        }
        checkString("namespace", parts.namespace());
        checkString("element name", parts.name());
        count(parts.namespace());
        MessageElement empty = emptyElement(parts, type);
        boolean octets = encoding != null;
        return new ElementHead(empty, octets, octets ? null : empty.charset().orElse(null));
    }

    /** Begins an element whose head was created earlier by this decoder or by one with the same limits. */
    public void beginElement(ElementHead known) {
        count(known.empty().namespace());
    }

    private void count(String namespace) {
        elements++;
        if (elements > limits.maxElements()) {
            throw errors.overLimit("elements", elements, "maxElements", limits.maxElements());
        }
        int namespaceCount = namespaces.add(namespace);
        if (namespaceCount > limits.maxNamespaces()) {
            throw errors.overLimit("namespaces", namespaceCount, "maxNamespaces", limits.maxNamespaces());
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
            throw errors.malformed("attribute " + FormNames.TYPE + ": " + e.getMessage());
        }
    }

    private void checkString(String field, String string) {
        int bytes = XmlCharacters.utf8Length(string);
        if (bytes == XmlCharacters.NOT_XML) {
            throw errors.malformed(
                    field + ": has " + XmlCharacters.firstInvalid(string) + " (expected: characters of XML 1.0)");
        }
        if (bytes > limits.maxNameBytes()) {
            throw errors.overLimit(field, bytes, "maxNameBytes", limits.maxNameBytes());
        }
    }

    /**
     * Returns the sink for the characters in an element; it encodes them in the charset of the element. Only one sink
     * may be in use at a time.
     */
    public ContentSink characters(ElementHead head) {
        ByteCollector bytes = beginContent(false);
        Charset charset = head.charset();
        if (charset == null || !charset.canEncode()) {
            throw errors.malformed("attribute " + FormNames.TYPE + ": unknown charset in "
                    + quote(head.empty().type()));
        }
        return charset.equals(StandardCharsets.UTF_8)
                ? new Utf8Sink(bytes, errors)
                : new CharsetSink(charset, bytes, errors);
    }

    /** Returns the sink for the base64 in an element; white space is allowed at any position. */
    public ContentSink base64() {
        return new Base64Sink(beginContent(true), errors);
    }

    private ByteCollector beginContent(boolean octets) {
        if (collected == null) {
            collected = new ByteCollector(limits.maxElementBytes(), remainingBytes, errors);
        }
        collected.begin(octets);
        return collected;
    }

    /** Checks the length of content that the reader has as octets, before memory is allocated for it. */
    public void checkContentBytes(long bytes) {
        if (bytes > limits.maxElementBytes()) {
            throw errors.overLimit("element content", bytes, "maxElementBytes", limits.maxElementBytes());
        }
    }

    /** Checks that content which the reader has as UTF-8 is valid and contains only characters of XML 1.0. */
    public void checkCharacters(byte[] bytes, int offset, int length) {
        if (!XmlCharacters.isUtf8(bytes, offset, length)) {
            throw errors.malformed("characters: not UTF-8, or not allowed in XML 1.0");
        }
    }

    /** Returns a received value for an error message: quoted, sanitized, and cut if it is long. */
    public static String quote(@Nullable String value) {
        if (value == null) {
            return "none";
        }
        boolean isLong = value.length() > MAX_QUOTED_CHARS;
        return "'" + TextSanitizer.oneLine(isLong ? value.substring(0, MAX_QUOTED_CHARS) + "..." : value) + "'";
    }
}
