package io.parley.examples.cbor;

import io.netty.buffer.ByteBufUtil;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.message.MessageElement;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/** Checks one message against the limits, element by element. Sender and receiver differ in the error code. */
final class CborLimitChecker {
    /** Namespaces that do not count. */
    private static final Set<String> FREE_NAMESPACES = Set.of("", "jxta");

    private final MessageLimits limits;
    private final ErrorCode fault;
    private final Supplier<String> where;
    private final Set<String> namespaces = new HashSet<>(FREE_NAMESPACES);
    private int elements;

    CborLimitChecker(MessageLimits limits, ErrorCode fault, Supplier<String> where) {
        this.limits = limits;
        this.fault = fault;
        this.where = where;
    }

    /** Checks the next element. */
    void element(MessageElement element) {
        elements++;
        check("elements", elements, "maxElements", limits.maxElements());
        namespaces.add(element.namespace());
        check("namespaces", namespaces.size() - FREE_NAMESPACES.size(), "maxNamespaces", limits.maxNamespaces());
        string("namespace", element.namespace());
        fields(element);
        element.signature().ifPresent(this::fields);
    }

    private void fields(MessageElement element) {
        string("element name", element.name());
        string("type", element.type());
        check("element content", element.size(), "maxElementBytes", limits.maxElementBytes());
    }

    private void string(String field, String string) {
        check(field, ByteBufUtil.utf8Bytes(string), "maxNameBytes", limits.maxNameBytes());
    }

    /** Checks the size of the whole message. */
    void message(long bytes) {
        check("encoded message", bytes, "maxMessageBytes", limits.maxMessageBytes());
    }

    private void check(String field, long value, String limit, long max) {
        if (value > max) {
            throw fault.exception(
                    where.get() + ": " + field + ": " + value + " (expected: <= " + limit + " " + max + ")");
        }
    }
}
