package io.parley.resolver.internal;

import io.parley.common.internal.Arguments;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.nio.charset.StandardCharsets;

/**
 * A question that another peer asks.
 *
 * @param from       who asks, as proven by the connection, or by the signature of what was propagated
 * @param name       what it is about: the name of the handler
 * @param body       the question
 * @param propagated whether it was put to many peers, not to this one
 * @param hops       how many peers have passed it on
 */
public record Query(PeerId from, String name, Message body, boolean propagated, int hops) {

    /** The longest name, in bytes of UTF-8. */
    public static final int MAX_NAME_BYTES = 128;

    /**
     * Checks the name of a query.
     *
     * @throws IllegalArgumentException if it is empty or too long
     */
    public static void checkName(String name) {
        int bytes = name.length() > MAX_NAME_BYTES ? name.length() : name.getBytes(StandardCharsets.UTF_8).length;
        Arguments.requireRange("bytes of the name", bytes, 1, MAX_NAME_BYTES);
    }
}
