package io.parley.resolver.internal;

import io.parley.common.internal.Arguments;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.nio.charset.StandardCharsets;

/**
 * A received query.
 *
 * @param from       the querying peer, authenticated by the connection or by the signature of the propagated message
 * @param name       the name of the handler
 * @param body       the query
 * @param propagated whether it was sent to many peers rather than to this one
 * @param hops       number of peers that forwarded it
 */
public record Query(PeerId from, String name, Message body, boolean propagated, int hops) {

    /** The maximum length of a name, in bytes of UTF-8. */
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
