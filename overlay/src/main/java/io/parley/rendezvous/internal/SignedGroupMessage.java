package io.parley.rendezvous.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A message to a service of all peers of a group, signed by its sender.
 *
 * <pre>
 *   8  number, random
 *   8  time, in milliseconds since the epoch
 *  32  sender
 *  16  group
 *      service: 2 length, UTF-8; parameter: 2 length, UTF-8
 *   1  count of the sender's addresses, 0 to 16; each: 2 length, UTF-8
 *   n  the message, in the binary format
 *  64  signature over a prefix and all bytes before the signature
 * </pre>
 *
 * @param body  the encoded message
 * @param bytes the signed message as above; must not be modified
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SignedGroupMessage(
        long number,
        long timeMillis,
        GroupId group,
        ServiceAddress service,
        PeerAddress sender,
        byte[] body,
        byte[] bytes) {

    /** Identifies a message. The sender chooses the number, and so the hash. */
    public record Key(PeerId sender, long number) implements Comparable<Key> {

        @Override
        public int compareTo(Key other) {
            int byNumber = Long.compare(number, other.number);
            return byNumber != 0 ? byNumber : sender.compareTo(other.sender);
        }
    }

    private static final byte[] DOMAIN = "parley-rendezvous-1\0".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_ELEMENTS = 1024;
    private static final int MAX_ADDRESS_BYTES = 300;
    private static final MessageLimits LIMITS = MessageLimits.DEFAULTS.toBuilder()
            .maxElements(MAX_ELEMENTS)
            .maxMessageBytes(1 << 20)
            .build();
    private static final CodecSession CODEC = MessageCodec.binary().newSession(LIMITS); // stateless

    /** The maximum size of everything but the body, in bytes. */
    public static final int MAX_OVERHEAD_BYTES = 8 * 1024;

    /** Returns the key of this message. */
    public Key key() {
        return new Key(sender.peer(), number);
    }

    /**
     * Signs a message.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#MESSAGE_TOO_LARGE}
     */
    public static SignedGroupMessage sign(
            Identity identity,
            List<EndpointAddress> addresses,
            long number,
            long timeMillis,
            GroupId group,
            ServiceAddress service,
            Message message,
            int maxBodyBytes) {
        byte[] body = encode(message);
        if (body.length > maxBodyBytes) {
            throw ErrorCode.MESSAGE_TOO_LARGE.exception(
                    "group message: " + body.length + " bytes (expected: <= " + maxBodyBytes + ")");
        }
        List<EndpointAddress> included = addresses.subList(0, Math.min(addresses.size(), PeerAddress.MAX_ADDRESSES));
        ByteBuf out = Unpooled.buffer(body.length + 512);
        out.writeLong(number).writeLong(timeMillis);
        out.writeBytes(identity.peerId().toByteArray()).writeBytes(group.toByteArray());
        writeText(out, service.service());
        writeText(out, service.parameter());
        out.writeByte(included.size());
        included.forEach(address -> writeText(out, address.toString()));
        out.writeBytes(body);
        byte[] unsigned = ByteBufUtil.getBytes(out);
        out.writeBytes(identity.sign(covered(unsigned, unsigned.length)));
        PeerAddress sender = new PeerAddress(identity.peerId(), included);
        return new SignedGroupMessage(number, timeMillis, group, service, sender, body, ByteBufUtil.getBytes(out));
    }

    private static byte[] encode(Message message) {
        ByteBuf encoded = CODEC.encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            return ByteBufUtil.getBytes(encoded);
        } finally {
            encoded.release();
        }
    }

    private static void writeText(ByteBuf out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeShort(bytes.length).writeBytes(bytes);
    }

    /**
     * Parses a signed message without verifying the signature; see {@link #isSigned}. Takes ownership of {@code bytes}.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#MALFORMED_MESSAGE}
     */
    public static SignedGroupMessage read(byte[] bytes) {
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes, 0, Math.max(0, bytes.length - Identity.SIGNATURE_BYTES));
            long number = in.getLong();
            long time = in.getLong();
            PeerId sender = PeerId.ofBytes(next(in, PeerId.BYTES));
            GroupId group = GroupId.ofBytes(next(in, GroupId.BYTES));
            ServiceAddress service =
                    new ServiceAddress(readText(in, ServiceAddress.MAX_BYTES), readText(in, ServiceAddress.MAX_BYTES));
            int count = in.get() & 0xff;
            if (count > PeerAddress.MAX_ADDRESSES) {
                throw RendezvousElements.malformed(
                        "addresses: " + count + " (expected: <= " + PeerAddress.MAX_ADDRESSES + ")");
            }
            List<EndpointAddress> addresses = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                addIfKnown(addresses, readText(in, MAX_ADDRESS_BYTES));
            }
            return new SignedGroupMessage(
                    number, time, group, service, new PeerAddress(sender, addresses), next(in, in.remaining()), bytes);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw ErrorCode.MALFORMED_MESSAGE.exception("group message: " + e, e);
        }
    }

    private static byte[] next(ByteBuffer in, int count) {
        byte[] bytes = new byte[count];
        in.get(bytes);
        return bytes;
    }

    private static String readText(ByteBuffer in, int maxBytes) {
        int length = in.getShort() & 0xffff;
        if (length > maxBytes) {
            throw RendezvousElements.malformed("text: " + length + " bytes (expected: <= " + maxBytes + ")");
        }
        return new String(next(in, length), StandardCharsets.UTF_8);
    }

    private static void addIfKnown(List<EndpointAddress> addresses, String text) {
        try {
            addresses.add(EndpointAddress.parse(text));
        } catch (IllegalArgumentException e) {
            // ignored: it may be an address of a later version
        }
    }

    /** Returns whether the signature is that of the sender. */
    public boolean isSigned() {
        int end = bytes.length - Identity.SIGNATURE_BYTES;
        return Identity.verify(sender.peer(), covered(bytes, end), Arrays.copyOfRange(bytes, end, bytes.length));
    }

    /**
     * Decodes the body.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#MALFORMED_MESSAGE} or another code of the codec
     */
    public Message message() {
        return CODEC.decode(Unpooled.wrappedBuffer(body));
    }

    private static byte[] covered(byte[] message, int length) {
        byte[] covered = Arrays.copyOf(DOMAIN, DOMAIN.length + length);
        System.arraycopy(message, 0, covered, DOMAIN.length, length);
        return covered;
    }
}
