package io.parley.id;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The bytes of an id with all that follows from them, so that the kinds are only about what is theirs. */
abstract sealed class AbstractId permits PeerId, GroupId, PipeId {
    private final IdKind kind;
    private final byte[] payload;
    private final int hash;

    /** Set on first use without a lock: a {@code String} is safe to publish by a race, and all threads make the same. */
    private @Nullable String text;

    /** Takes ownership of the payload. */
    AbstractId(IdKind kind, byte[] payload) {
        if (payload.length != kind.payloadBytes()) {
            throw new IllegalArgumentException("bytes: " + payload.length + " (expected: " + kind.payloadBytes()
                    + " for a " + kind.label() + " id)");
        }
        this.kind = kind;
        this.payload = payload;
        this.hash = Arrays.hashCode(payload);
    }

    /** Not a copy: never hand it out, never change it. */
    final byte[] payload() {
        return payload;
    }

    /** The canonical text: lower-case base32 with a checksum. */
    public final String text() {
        String known = text;
        if (known == null) {
            known = IdParser.of(kind, payload);
            text = known;
        }
        return known;
    }

    /** The text as a URN. */
    public final String urn() {
        return IdParser.urn(kind, text());
    }

    /** The payload, without checksum. The caller owns the array. */
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

    // Anybody can make ids that collide in 32 bits. Ids are comparable so that HashMap still finds them in log n.
    @Override
    public final int hashCode() {
        return hash;
    }

    @Override
    public final String toString() {
        return text();
    }
}
