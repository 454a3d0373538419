package io.parley.advertisement;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/**
 * An advertisement of an unknown type. It can be stored, forwarded, displayed, and found by {@code Name} only. Because its real
 * key is unknown, the key is a hash of the document, so it replaces only an equal advertisement.
 *
 * @param document the whole document
 */
public record OpaqueAdvertisement(XmlElement document) implements Advertisement {
    private static final int KEY_BYTES = 16;

    /** Fails with NullPointerException if there is no document. */
    public OpaqueAdvertisement {
        Objects.requireNonNull(document, "document");
    }

    @Override
    public String type() {
        return document.name();
    }

    @Override
    public String key() {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(AdvertisementXmlWriter.write(document));
            return "sha256-" + HexFormat.of().formatHex(hash, 0, KEY_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public List<AdvertisementAttribute> attributes() {
        return new AttributeCollector().add("Name", document.textOf("Name")).list();
    }
}
