package io.parley.codec.xml.internal;

import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;

/**
 * Finds the forms of the elements of one message, in order, and refuses what the format can't carry or the limits do not
 * allow. Writers check {@link MessageLimits#maxMessageBytes} themselves, with {@link #checkMessageBytes}. For one thread.
 */
public final class FormEncoder {
    private final MessageLimits limits;
    private final NamespaceCounter namespaces = new NamespaceCounter();

    private FormEncoder(MessageLimits limits) {
        this.limits = limits;
    }

    /**
     * For the elements of that message.
     *
     * @throws io.parley.error.InvalidCallException MESSAGE_TOO_LARGE when it has too many of them
     */
    public static FormEncoder of(Message message, MessageLimits limits) {
        checkLimit("elements", message.elements().size(), "maxElements", limits.maxElements());
        return new FormEncoder(limits);
    }

    /**
     * The form of the next element.
     *
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE when it is signed, its namespace has a colon, or its
     *     namespace or name has a character that XML can't say; MESSAGE_TOO_LARGE when it goes past a limit
     */
    public ElementForm next(MessageElement element) {
        String namespace = element.namespace();
        checkString("namespace", namespace, element);
        checkString("element name", element.name(), element);
        // Other formats leave the default type out, so it must not make the difference.
        if (!element.type().equals(MessageElement.TYPE_BYTES)) {
            checkString("type", element.type(), element);
        }
        if (!QualifiedName.canBeNamespace(namespace)) {
            throw notEncodable("namespace of " + element + ": '" + namespace
                    + "' (expected: no colon, which parts it from the name)");
        }
        Content content = nextContent(element);
        return new ElementForm(QualifiedName.attribute(namespace, element.name()), element.type(), content);
    }

    /**
     * The content of the next element, when {@link #next} with the same limits has passed an element of the same
     * namespace and name, and one of the same type. Fails as {@link #next} does.
     */
    public Content nextContent(MessageElement element) {
        if (element.signature().isPresent()) {
            throw notEncodable("signature of " + element + ": the format has no place for signatures");
        }
        checkLimit("namespaces", namespaces.add(element.namespace()), "maxNamespaces", limits.maxNamespaces());
        if (element.size() > limits.maxElementBytes()) {
            throw tooLarge("content of " + element, element.size(), "maxElementBytes", limits.maxElementBytes());
        }
        return ContentFormSelector.of(element);
    }

    /**
     * Checks the size of what is written so far.
     *
     * @throws io.parley.error.InvalidCallException MESSAGE_TOO_LARGE
     */
    public static void checkMessageBytes(long bytes, MessageLimits limits) {
        checkLimit("encoded message", bytes, "maxMessageBytes", limits.maxMessageBytes());
    }

    private void checkString(String what, String string, MessageElement element) {
        int bytes = XmlCharacters.utf8Length(string);
        if (bytes == XmlCharacters.NOT_XML) {
            throw notEncodable(what + " of " + element + ": has " + XmlCharacters.firstOffender(string)
                    + " (expected: characters of XML 1.0)");
        }
        checkLimit(what, bytes, "maxNameBytes", limits.maxNameBytes());
    }

    private static void checkLimit(String what, long value, String limit, long max) {
        if (value > max) {
            throw tooLarge(what, value, limit, max);
        }
    }

    private static ParleyException notEncodable(String fault) {
        return ErrorCode.NOT_ENCODABLE.exception(fault);
    }

    private static ParleyException tooLarge(String what, long value, String limit, long max) {
        return ErrorCode.MESSAGE_TOO_LARGE.exception(what + ": " + value + " (expected: <= " + limit + " " + max + ")");
    }
}
