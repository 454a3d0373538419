package io.parley.group.internal.view;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.internal.view.ViewMessage.Kind;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.List;
import java.util.function.Function;

/**
 * Writes and reads {@link ViewMessage}s.
 *
 * <pre>
 *  View   2 bytes: the number of the kind, the hops
 *  Entry  as often as the kind requires, at most 8 times: a signed peer advertisement
 * </pre>
 */
final class ViewMessageFormat {

    static final String NAMESPACE = "parley.members";

    private static final String VIEW = "View";
    private static final String ENTRY = "Entry";

    private ViewMessageFormat() {}

    static Message write(ViewMessage message) {
        Message.Builder builder = Message.builder().add(bytes(VIEW, new byte[] {
            (byte) message.kind().code(), (byte) message.hops()
        }));
        message.entries().forEach(entry -> builder.add(bytes(ENTRY, entry.document())));
        return builder.build();
    }

    /** The type is the default one, which takes no bytes on the wire. */
    private static MessageElement bytes(String name, byte[] value) {
        return MessageElement.of(NAMESPACE, name, MessageElement.TYPE_BYTES, Payload.of(value));
    }

    /** Returns whether a message is about the view. */
    static boolean isViewMessage(Message message) {
        return message.element(NAMESPACE, VIEW).isPresent();
    }

    /**
     * Reads the kind of a message, so that a message that is not permitted costs no signature.
     *
     * @throws ParleyException {@link ErrorCode#MALFORMED_MESSAGE}
     */
    static Kind readKind(Message message) {
        int code = header(message)[0] & 0xff;
        return Kind.ofCode(code)
                .orElseThrow(() -> malformed("kind: " + code + " (expected: 1 to " + Kind.values().length + ")"));
    }

    private static byte[] header(Message message) {
        MessageElement header =
                message.element(NAMESPACE, VIEW).orElseThrow(() -> malformed(VIEW + ": element is missing"));
        if (header.size() != 2) {
            throw malformed(VIEW + ": " + header.size() + " bytes (expected: 2)");
        }
        return header.toByteArray();
    }

    /**
     * Reads a message.
     *
     * @param verify reads one entry, and throws if it is not signed by its member
     * @throws ParleyException {@link ErrorCode#MALFORMED_MESSAGE}, or what {@code verify} throws
     */
    static ViewMessage read(Message message, Function<byte[], MemberEntry> verify) {
        Kind kind = readKind(message);
        int hops = header(message)[1] & 0xff;
        List<MessageElement> entries = message.elements(NAMESPACE, ENTRY);
        if (entries.size() < kind.minEntries() || entries.size() > kind.maxEntries()) {
            throw malformed(ENTRY + " of " + kind + ": " + entries.size() + " times (expected: " + kind.minEntries()
                    + " to " + kind.maxEntries() + ")");
        }
        for (MessageElement entry : entries) {
            if (entry.size() > MemberEntryFactory.MAX_BYTES) {
                throw malformed(
                        ENTRY + ": " + entry.size() + " bytes (expected: <= " + MemberEntryFactory.MAX_BYTES + ")");
            }
        }
        return new ViewMessage(
                kind,
                hops,
                entries.stream().map(MessageElement::toByteArray).map(verify).toList());
    }

    private static ParleyException malformed(String detail) {
        return ErrorCode.MALFORMED_MESSAGE.exception("view message: " + detail);
    }
}
