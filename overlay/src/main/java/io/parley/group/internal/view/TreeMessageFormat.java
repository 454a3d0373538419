package io.parley.group.internal.view;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.internal.view.TreeMessage.Gossip;
import io.parley.group.internal.view.TreeMessage.Graft;
import io.parley.group.internal.view.TreeMessage.IHave;
import io.parley.group.internal.view.TreeMessage.Prune;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.rendezvous.internal.SignedGroupMessage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes and reads {@link TreeMessage}s.
 *
 * <pre>
 *  Type    1 byte: 1 Gossip, 2 IHave, 3 Graft, 4 Prune
 *  Signed  of Gossip: the signed message
 *  Have    of IHave: each key as 32 bytes sender, 8 number
 *  Key     of Graft: 32 bytes sender, 8 number
 * </pre>
 */
final class TreeMessageFormat {

    static final String NAMESPACE = "parley.tree";

    private static final String TYPE = "Type";
    private static final String SIGNED = "Signed";
    private static final String HAVE = "Have";
    private static final String KEY = "Key";

    private static final int GOSSIP = 1;
    private static final int I_HAVE = 2;
    private static final int GRAFT = 3;
    private static final int PRUNE = 4;

    private static final int KEY_BYTES = PeerId.BYTES + Long.BYTES;
    private static final int MAX_HAVE_BYTES = IHave.MAX_ANNOUNCEMENTS * KEY_BYTES;

    private TreeMessageFormat() {}

    static Message write(TreeMessage message) {
        if (message instanceof Gossip gossip) {
            return Message.of(
                    number(TYPE, GOSSIP), bytes(SIGNED, gossip.message().bytes()));
        }
        if (message instanceof IHave iHave) {
            ByteBuffer out = ByteBuffer.allocate(iHave.keys().size() * KEY_BYTES);
            iHave.keys().forEach(key -> writeKey(out, key));
            return Message.of(number(TYPE, I_HAVE), bytes(HAVE, out.array()));
        }
        if (message instanceof Graft graft) {
            ByteBuffer out = writeKey(ByteBuffer.allocate(KEY_BYTES), graft.key());
            return Message.of(number(TYPE, GRAFT), bytes(KEY, out.array()));
        }
        return Message.of(number(TYPE, PRUNE));
    }

    private static ByteBuffer writeKey(ByteBuffer out, SignedGroupMessage.Key key) {
        return out.put(key.sender().toByteArray()).putLong(key.number());
    }

    private static MessageElement number(String name, int value) {
        return bytes(name, new byte[] {(byte) value});
    }

    /** The type is the default one, which takes no bytes on the wire. */
    private static MessageElement bytes(String name, byte[] value) {
        return MessageElement.of(NAMESPACE, name, MessageElement.TYPE_BYTES, Payload.of(value));
    }

    /**
     * Reads a message of a neighbor. The signature of a {@link Gossip} is not verified.
     *
     * @param maxBodyBytes the maximum size of the body of a message to all members
     * @throws ParleyException {@link ErrorCode#MALFORMED_MESSAGE}
     */
    static TreeMessage read(Message message, int maxBodyBytes) {
        return switch (number(message, TYPE, GOSSIP, PRUNE)) {
            case GOSSIP -> new Gossip(readSigned(message, maxBodyBytes));
            case I_HAVE -> readIHave(message);
            case GRAFT -> readGraft(message);
            default -> new Prune();
        };
    }

    private static SignedGroupMessage readSigned(Message message, int maxBodyBytes) {
        MessageElement signed = required(message, SIGNED);
        long maxBytes = (long) maxBodyBytes + SignedGroupMessage.MAX_OVERHEAD_BYTES;
        if (signed.size() > maxBytes) {
            throw malformed(SIGNED + ": " + signed.size() + " bytes (expected: <= maxBodyBytes with overhead "
                    + maxBytes + ")");
        }
        return SignedGroupMessage.read(signed.toByteArray());
    }

    private static IHave readIHave(Message message) {
        MessageElement have = required(message, HAVE);
        if (have.size() % KEY_BYTES != 0 || have.size() == 0 || have.size() > MAX_HAVE_BYTES) {
            throw malformed(HAVE + ": " + have.size() + " bytes (expected: a multiple of " + KEY_BYTES + ", > 0, <= "
                    + MAX_HAVE_BYTES + ")");
        }
        ByteBuffer in = ByteBuffer.wrap(have.toByteArray());
        List<SignedGroupMessage.Key> keys = new ArrayList<>(in.capacity() / KEY_BYTES);
        while (in.hasRemaining()) {
            keys.add(readKey(in));
        }
        return new IHave(keys);
    }

    private static Graft readGraft(Message message) {
        MessageElement key = required(message, KEY);
        requireSize(key, KEY_BYTES);
        return new Graft(readKey(ByteBuffer.wrap(key.toByteArray())));
    }

    private static SignedGroupMessage.Key readKey(ByteBuffer in) {
        byte[] sender = new byte[PeerId.BYTES];
        in.get(sender);
        return new SignedGroupMessage.Key(PeerId.ofBytes(sender), in.getLong());
    }

    private static int number(Message message, String name, int min, int max) {
        MessageElement element = required(message, name);
        requireSize(element, 1);
        return inRange(name, element.toByteArray()[0] & 0xff, min, max);
    }

    private static MessageElement required(Message message, String name) {
        return message.element(NAMESPACE, name).orElseThrow(() -> malformed(name + ": element is missing"));
    }

    private static void requireSize(MessageElement element, int bytes) {
        if (element.size() != bytes) {
            throw malformed(element.name() + ": " + element.size() + " bytes (expected: " + bytes + ")");
        }
    }

    private static int inRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw malformed(name + ": " + value + " (expected: " + min + " to " + max + ")");
        }
        return value;
    }

    private static ParleyException malformed(String detail) {
        return ErrorCode.MALFORMED_MESSAGE.exception("tree message: " + detail);
    }
}
