package io.parley.advertisement.internal;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A signed advertisement with a verified or trusted signature. Immutable. */
final class SignedDocument implements SignedAdvertisement {

    private final Envelope envelope;
    private final Advertisement advertisement;

    SignedDocument(Envelope envelope, Advertisement advertisement) {
        this.envelope = envelope;
        this.advertisement = advertisement;
    }

    @Override
    public Advertisement advertisement() {
        return advertisement;
    }

    @Override
    public PeerId publisher() {
        return envelope.publisher();
    }

    @Override
    public GroupId group() {
        return envelope.group();
    }

    @Override
    public Instant issuedAt() {
        return Instant.ofEpochMilli(envelope.issuedMillis());
    }

    @Override
    public Duration lifetime() {
        return Duration.ofMillis(envelope.lifetimeMillis());
    }

    @Override
    public Duration expiration() {
        return Duration.ofMillis(envelope.expirationMillis());
    }

    @Override
    public byte[] document() {
        return envelope.document();
    }

    @Override
    public byte[] toByteArray() {
        return envelope.bytes().clone();
    }

    @Override
    public int size() {
        return envelope.bytes().length;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SignedDocument that && Arrays.equals(envelope.bytes(), that.envelope.bytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(envelope.bytes());
    }

    @Override
    public String toString() {
        return "SignedAdvertisement[" + advertisement + ", by " + publisher() + ", issued " + issuedAt() + ']';
    }
}
