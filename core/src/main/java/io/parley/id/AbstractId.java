package io.parley.id;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The common base of all ids: payload, text forms, equality and hash code. */
abstract sealed class AbstractId permits PeerId, GroupId, PipeId {
    private final IdKind kind;
    private final byte[] payload;
    private final int hash;

    /** Set on first use without a lock: racy publication of a {@code String} is safe, and all threads compute the same text. */
    private @Nullable String text;

    /** Takes ownership of {@code payload}. */
    AbstractId(IdKind kind, byte[] payload) {
        if (payload.length != kind.payloadBytes()) {
            throw new IllegalArgumentException("bytes: " + payload.length + " (expected: " + kind.payloadBytes()
                    + " for a " + kind.label() + " id)");
        }
        this.kind = kind;
        this.payload = payload;
        this.hash = Arrays.hashCode(payload);
    }

    /** Returns the internal array. It must not be modified and must not leave this package. */
    final byte[] payload() {
        return payload;
    }

    /** Returns the canonical text: lower-case base32 with a checksum. */
    public final String text() {
        String current = text;
        if (current == null) {
            current = IdParser.text(kind, payload);
            text = current;
        }
        return current;
    }

    /** Returns the text as a URN. */
    public final String urn() {
        return IdParser.urn(kind, text());
    }

    /** Returns a copy of the payload, without checksum. */
    public final byte[] toByteArray() {
        return payload.clone();
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof AbstractId that
                        && hash == that.hash
                        && kind == that.kind
                        && Arrays.equals(payload, that.payload));
    }

    // An attacker can construct ids whose hash codes collide. Ids are Comparable, so a HashMap still finds them in
    // O(log n).
    @Override
    public final int hashCode() {
        return hash;
    }

    @Override
    public final String toString() {
        return text();
    }
}
