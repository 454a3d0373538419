package io.parley.transport.udp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message before it is split into datagrams: a payload with the addresses of its sender and the time of sending, signed as
 * a whole. The signature also covers the number of the message and the port of the channel, so a copy under another number
 * or on another channel is invalid.
 *
 * <pre>
 *   8  time, milliseconds since the epoch
 *   1  number of addresses, 0 to 16
 *      each: 2 length, 1 to 300; UTF-8
 *   n  the payload
 *  64  Ed25519 signature
 * </pre>
 */
final class SignedMessage {

    /** The result of {@link #open}. The payload is heap memory that need not be released. */
    record Content(PeerAddress sender, ByteBuf payload) {}

    private static final byte[] DOMAIN = "parley-udp-1\0".getBytes(StandardCharsets.US_ASCII);
    private static final int FIXED_BYTES = 8 + 1 + Identity.SIGNATURE_BYTES;
    private static final int MAX_ADDRESS_BYTES = 300;

    private final byte[] bytes;

    private SignedMessage(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Signs a new message. */
    static SignedMessage sign(
            Identity identity,
            long number,
            int port,
            long timeMillis,
            List<EndpointAddress> addresses,
            byte[] payload) {
        ByteBuf out = Unpooled.buffer(FIXED_BYTES + payload.length + 64 * addresses.size());
        out.writeLong(timeMillis).writeByte(addresses.size());
        for (EndpointAddress address : addresses) {
            byte[] text = address.toString().getBytes(StandardCharsets.UTF_8);
            if (text.length > MAX_ADDRESS_BYTES) {
                throw ErrorCode.MESSAGE_TOO_LARGE.exception(
                        "address: " + text.length + " bytes (expected: <= " + MAX_ADDRESS_BYTES + ")");
            }
            out.writeShort(text.length).writeBytes(text);
        }
        out.writeBytes(payload);
        byte[] unsigned = Arrays.copyOf(out.array(), out.readableBytes());
        out.writeBytes(identity.sign(covered(number, port, unsigned, unsigned.length)));
        return new SignedMessage(Arrays.copyOf(out.array(), out.readableBytes()));
    }

    /** Returns the received message, or null if it is too short. Takes ownership of {@code bytes}. */
    static @Nullable SignedMessage of(byte[] bytes) {
        return bytes.length < FIXED_BYTES ? null : new SignedMessage(bytes);
    }

    /** Returns the bytes without copying them; the caller must not change them. */
    byte[] bytes() {
        return bytes;
    }

    /** Returns the time of sending, in milliseconds since the epoch; untrusted until the signature is verified. */
    long timeMillis() {
        return ByteBuffer.wrap(bytes).getLong();
    }

    /** Returns whether the sender has signed the message under this key for the channel at this port. */
    boolean isSignedBy(MessageKey key, int port) {
        int end = signatureOffset();
        return Identity.verify(
                key.sender(), covered(key.number(), port, bytes, end), Arrays.copyOfRange(bytes, end, bytes.length));
    }

    /** Parses the content; returns null if it is malformed. Addresses of an unknown format are left out. */
    @Nullable
    Content open(PeerId sender) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes, 0, signatureOffset()).skipBytes(8);
        int count = in.readUnsignedByte();
        if (count > PeerAddress.MAX_ADDRESSES) {
            return null;
        }
        List<EndpointAddress> addresses = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int length = in.readableBytes() < 2 ? 0 : in.readUnsignedShort();
            if (length < 1 || length > MAX_ADDRESS_BYTES || length > in.readableBytes()) {
                return null;
            }
            addIfParsable(
                    addresses,
                    in.readCharSequence(length, StandardCharsets.UTF_8).toString());
        }
        return new Content(new PeerAddress(sender, addresses), in.slice().asReadOnly());
    }

    private static void addIfParsable(List<EndpointAddress> addresses, String text) {
        try {
            addresses.add(EndpointAddress.parse(text));
        } catch (IllegalArgumentException e) {
            // The format may be of a later version.
        }
    }

    private int signatureOffset() {
        return bytes.length - Identity.SIGNATURE_BYTES;
    }

    private static byte[] covered(long number, int port, byte[] message, int messageBytes) {
        return ByteBuffer.allocate(DOMAIN.length + 2 + 8 + messageBytes)
                .put(DOMAIN)
                .putShort((short) port)
                .putLong(number)
                .put(message, 0, messageBytes)
                .array();
    }
}
