package io.parley.advertisement;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Converts advertisements to XML documents and back. Immutable and thread-safe. */
public final class AdvertisementCodec {
    private final AdvertisementTypeRegistry types;
    private final AdvertisementLimits limits;
    private final AdvertisementXmlReader reader;

    AdvertisementCodec(AdvertisementTypeRegistry types, AdvertisementLimits limits) {
        this.types = Objects.requireNonNull(types, "types");
        this.limits = Objects.requireNonNull(limits, "limits");
        this.reader = new AdvertisementXmlReader(limits);
    }

    /** Returns a codec of the types of this package. */
    public static AdvertisementCodec builtIn(AdvertisementLimits limits) {
        return new AdvertisementCodec(AdvertisementTypeRegistry.builtIn(), limits);
    }

    /**
     * Returns a codec of the types of this package and of all {@linkplain AdvertisementType types} on the class path.
     *
     * @throws IllegalStateException if one cannot be loaded
     * @throws IllegalArgumentException if two have the same name
     */
    public static AdvertisementCodec installed(AdvertisementLimits limits) {
        return new AdvertisementCodec(AdvertisementTypeRegistry.installed(), limits);
    }

    /** Returns the names of the known types, those of this package first. */
    public Set<String> typeNames() {
        return types.names();
    }

    AdvertisementTypeRegistry types() {
        return types;
    }

    /** Returns the limits. */
    public AdvertisementLimits limits() {
        return limits;
    }

    /**
     * Decodes an untrusted document. The array is borrowed for this call. A document of an unknown type becomes an
     * {@link OpaqueAdvertisement}.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_ADVERTISEMENT if the document is not well-formed XML, has a document
     *     type declaration with content, or violates its type; LIMIT_EXCEEDED
     */
    public Advertisement decode(byte[] document) {
        XmlElement root = reader.read(document);
        Advertisement advertisement;
        try {
            advertisement = types.read(root);
            checkIndex(advertisement);
        } catch (ParleyException e) {
            throw e;
        } catch (RuntimeException e) {
            // An untrusted document can make a user-defined type fail: reject the document.
            throw ErrorCode.MALFORMED_ADVERTISEMENT.exception(root.name() + ": " + e.getMessage(), e);
        }
        return advertisement;
    }

    /**
     * Encodes an advertisement. Equal advertisements have equal bytes.
     *
     * @throws io.parley.error.InvalidCallException MESSAGE_TOO_LARGE if the document exceeds the limits
     * @throws IllegalArgumentException if the type is unknown
     */
    public byte[] encode(Advertisement advertisement) {
        XmlElement root = types.write(advertisement);
        int elements = count(root, 1);
        if (elements > limits.maxElements()) {
            throw tooLarge(root, "elements", elements, limits.maxElements());
        }
        byte[] document = AdvertisementXmlWriter.write(root);
        if (document.length > limits.maxDocumentBytes()) {
            throw tooLarge(root, "document bytes", document.length, limits.maxDocumentBytes());
        }
        return document;
    }

    /** Checks keys and attributes, because stores keep them in an index whose size untrusted documents must not control. */
    private void checkIndex(Advertisement advertisement) {
        checkIndexed("key", advertisement.key());
        List<AdvertisementAttribute> attributes = advertisement.attributes();
        if (attributes.size() > limits.maxIndexed()) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "searchable attributes: " + attributes.size() + " (expected: <= " + limits.maxIndexed() + ")");
        }
        attributes.forEach(attribute -> checkIndexed(attribute.name(), attribute.value()));
    }

    private void checkIndexed(String what, String value) {
        if (value.length() > limits.maxIndexedChars()) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(what + ": " + value.length() + " characters (expected: <= "
                    + limits.maxIndexedChars() + " in an indexed text)");
        }
    }

    private int count(XmlElement element, int depth) {
        if (depth > limits.maxDepth()) {
            throw tooLarge(element, "depth", depth, limits.maxDepth());
        }
        if (element.attributes().size() > limits.maxAttributes()) {
            throw tooLarge(element, "attributes", element.attributes().size(), limits.maxAttributes());
        }
        int elements = 1;
        for (XmlElement child : element.children()) {
            elements += count(child, depth + 1);
        }
        return elements;
    }

    private static ParleyException tooLarge(XmlElement element, String what, int found, int limit) {
        return ErrorCode.MESSAGE_TOO_LARGE.exception(
                element.name() + ": " + what + ": " + found + " (expected: <= " + limit + ")");
    }
}
