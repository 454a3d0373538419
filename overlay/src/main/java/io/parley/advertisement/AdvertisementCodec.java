package io.parley.advertisement;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Advertisements as XML documents. Immutable and usable from any thread. */
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

    /** The limits. */
    public AdvertisementLimits limits() {
        return limits;
    }

    /**
     * The advertisement in a document, whoever wrote it. Borrows the array for this call. Types that are not known give an
     * {@link OpaqueAdvertisement}.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_ADVERTISEMENT when it is not well-formed XML, declares a document
     *     type with anything in it, or is not what its type expects; LIMIT_EXCEEDED
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
            // A stranger's document makes a type stumble, which may be the user's: the document is what is refused.
            throw ErrorCode.MALFORMED_ADVERTISEMENT.exception(root.name() + ": " + e.getMessage(), e);
        }
        return advertisement;
    }

    /**
     * The document of an advertisement; equal advertisements have equal bytes.
     *
     * @throws io.parley.error.InvalidCallException MESSAGE_TOO_LARGE when it goes beyond the limits
     * @throws IllegalArgumentException when its type is not known
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

    /** Stores keep keys and attributes in an index, which a stranger's documents must not blow up. */
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
                    + limits.maxIndexedChars() + " where it can be searched for)");
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
