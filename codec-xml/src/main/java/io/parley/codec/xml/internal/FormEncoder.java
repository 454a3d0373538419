package io.parley.codec.xml.internal;

import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;

/**
 * Computes the XML forms of the elements of one message in order. Rejects elements that the format cannot represent or
 * that exceed a limit. Writers must check {@link MessageLimits#maxMessageBytes} with {@link #checkMessageBytes}. Not
 * thread-safe.
 */
public final class FormEncoder {
    private final MessageLimits limits;
    private final NamespaceCounter namespaces = new NamespaceCounter();

    private FormEncoder(MessageLimits limits) {
        this.limits = limits;
    }

    /**
     * Returns an encoder of the elements of a message.
     *
     * @throws io.parley.error.InvalidCallException MESSAGE_TOO_LARGE if the message has too many elements
     */
    public static FormEncoder of(Message message, MessageLimits limits) {
        checkLimit("elements", message.elements().size(), "maxElements", limits.maxElements());
        return new FormEncoder(limits);
    }

    /**
     * Returns the form of the next element.
     *
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE if the element is signed, its namespace has a colon,
     *     or its namespace or name has a character that XML 1.0 does not allow; MESSAGE_TOO_LARGE if it exceeds a limit
     */
    public ElementForm next(MessageElement element) {
        String namespace = element.namespace();
        checkString("namespace", namespace, element);
        checkString("element name", element.name(), element);
        // Other formats omit the default type, so it must not decide whether an element can be encoded.
        if (!element.type().equals(MessageElement.TYPE_BYTES)) {
            checkString("type", element.type(), element);
        }
        if (!QualifiedName.canBeNamespace(namespace)) {
            throw notEncodable("namespace of " + element + ": '" + namespace
                    + "' (expected: no colon, because a colon separates it from the name)");
        }
        Content content = nextContent(element);
        return new ElementForm(QualifiedName.attribute(namespace, element.name()), element.type(), content);
    }

    /**
     * Returns the content of the next element. May replace {@link #next} only if {@link #next} with the same limits has
     * accepted an element of the same namespace and name, and an element of the same type. Fails like {@link #next}.
     */
    public Content nextContent(MessageElement element) {
        if (element.signature().isPresent()) {
            throw notEncodable("signature of " + element + ": the format does not support signatures");
        }
        checkLimit("namespaces", namespaces.add(element.namespace()), "maxNamespaces", limits.maxNamespaces());
        if (element.size() > limits.maxElementBytes()) {
            throw tooLarge("content of " + element, element.size(), "maxElementBytes", limits.maxElementBytes());
        }
        return ContentFormSelector.of(element);
    }

    /**
     * Checks the size of the encoded message, or of its part that is already encoded.
     *
     * @throws io.parley.error.InvalidCallException MESSAGE_TOO_LARGE if the size exceeds the limit
     */
    public static void checkMessageBytes(long bytes, MessageLimits limits) {
        checkLimit("encoded message", bytes, "maxMessageBytes", limits.maxMessageBytes());
    }

    private void checkString(String field, String string, MessageElement element) {
        int bytes = XmlCharacters.utf8Length(string);
        if (bytes == XmlCharacters.NOT_XML) {
            throw notEncodable(field + " of " + element + ": has " + XmlCharacters.firstInvalid(string)
                    + " (expected: characters of XML 1.0)");
        }
        checkLimit(field, bytes, "maxNameBytes", limits.maxNameBytes());
    }

    private static void checkLimit(String field, long value, String limit, long max) {
        if (value > max) {
            throw tooLarge(field, value, limit, max);
        }
    }

    private static ParleyException notEncodable(String fault) {
        return ErrorCode.NOT_ENCODABLE.exception(fault);
    }

    private static ParleyException tooLarge(String field, long value, String limit, long max) {
        return ErrorCode.MESSAGE_TOO_LARGE.exception(
                field + ": " + value + " (expected: <= " + limit + " " + max + ")");
    }
}
