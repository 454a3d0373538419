package io.parley.advertisement.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The fields of a signed advertisement. An envelope may have an invalid signature.
 *
 *
 * <pre>
 *   at     bytes
 *    0     4      magic, "PADV"
 *    4     1      version, 1
 *    5     32     publisher
 *   37     16     group
 *   53     8      time of issue, milliseconds since 1970 in UTC
 *   61     8      lifetime in milliseconds
 *   69     8      expiration in milliseconds
 *   77     4      length of the document
 *   81     n      document
 *   81+n   64     signature over a prefix and all preceding bytes
 * </pre>
 *
 * @param bytes all bytes; not copied, must not be modified
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Envelope(
        byte[] bytes, PeerId publisher, GroupId group, long issuedMillis, long lifetimeMillis, long expirationMillis) {
    static final int SIGNATURE_BYTES = Identity.SIGNATURE_BYTES;
    static final int HEADER_BYTES = 4 + 1 + PeerId.BYTES + GroupId.BYTES + 3 * Long.BYTES + Integer.BYTES;
    static final int OVERHEAD_BYTES = HEADER_BYTES + SIGNATURE_BYTES;

    private static final int MAGIC = 0x50414456;
    private static final byte VERSION = 1;
    private static final byte[] DOMAIN = "parley-advertisement\0".getBytes(StandardCharsets.US_ASCII);

    /** Creates and signs an envelope. */
    static Envelope sign(
            Identity publisher,
            GroupId group,
            long issuedMillis,
            long lifetimeMillis,
            long expirationMillis,
            byte[] document) {
        byte[] bytes = ByteBuffer.allocate(OVERHEAD_BYTES + document.length)
                .putInt(MAGIC)
                .put(VERSION)
                .put(publisher.peerId().toByteArray())
                .put(group.toByteArray())
                .putLong(issuedMillis)
                .putLong(lifetimeMillis)
                .putLong(expirationMillis)
                .putInt(document.length)
                .put(document)
                .array();
        byte[] signature = publisher.sign(signedBytes(bytes));
        System.arraycopy(signature, 0, bytes, bytes.length - SIGNATURE_BYTES, SIGNATURE_BYTES);
        return new Envelope(bytes, publisher.peerId(), group, issuedMillis, lifetimeMillis, expirationMillis);
    }

    /**
     * Parses an envelope. Takes ownership of the array.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_ADVERTISEMENT, VERSION_UNSUPPORTED
     */
    static Envelope read(byte[] bytes) {
        if (bytes.length < OVERHEAD_BYTES) {
            throw malformed("length: " + bytes.length + " bytes (expected: >= " + OVERHEAD_BYTES + ")");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int magic = in.getInt();
        if (magic != MAGIC) {
            throw malformed(String.format("magic: %08x (expected: %08x)", magic, MAGIC));
        }
        byte version = in.get();
        if (version != VERSION) {
            throw ErrorCode.VERSION_UNSUPPORTED.exception(
                    "advertisement: version: " + (version & 0xff) + " (expected: " + VERSION + ")");
        }
        PeerId publisher = PeerId.ofBytes(next(in, PeerId.BYTES));
        GroupId group = GroupId.ofBytes(next(in, GroupId.BYTES));
        long issued = millis("issued", in.getLong());
        long lifetime = millis("lifetime", in.getLong());
        long expiration = millis("expiration", in.getLong());
        int documentBytes = in.getInt();
        if (documentBytes != bytes.length - OVERHEAD_BYTES) {
            throw malformed("document length: " + Integer.toUnsignedString(documentBytes) + " (expected: "
                    + (bytes.length - OVERHEAD_BYTES) + ", the rest of the envelope)");
        }
        if (expiration > lifetime) {
            throw malformed("expiration: " + expiration + " ms (expected: <= the lifetime, " + lifetime + " ms)");
        }
        return new Envelope(bytes, publisher, group, issued, lifetime, expiration);
    }

    /** Returns whether the signature of the publisher is valid. */
    boolean isSigned() {
        byte[] signature = Arrays.copyOfRange(bytes, bytes.length - SIGNATURE_BYTES, bytes.length);
        return Identity.verify(publisher, signedBytes(bytes), signature);
    }

    /** Returns a copy of the document. */
    public byte[] document() {
        return Arrays.copyOfRange(bytes, HEADER_BYTES, bytes.length - SIGNATURE_BYTES);
    }

    private static byte[] signedBytes(byte[] bytes) {
        int length = bytes.length - SIGNATURE_BYTES;
        byte[] signed = Arrays.copyOf(DOMAIN, DOMAIN.length + length);
        System.arraycopy(bytes, 0, signed, DOMAIN.length, length);
        return signed;
    }

    private static byte[] next(ByteBuffer in, int count) {
        byte[] bytes = new byte[count];
        in.get(bytes);
        return bytes;
    }

    private static long millis(String field, long value) {
        if (value < 0) {
            throw malformed(field + ": " + Long.toUnsignedString(value) + " ms (expected: < 2^63)");
        }
        return value;
    }

    private static ParleyException malformed(String what) {
        return ErrorCode.MALFORMED_ADVERTISEMENT.exception("advertisement: " + what);
    }
}
