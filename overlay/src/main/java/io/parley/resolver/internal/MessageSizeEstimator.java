package io.parley.resolver.internal;

import io.parley.error.ErrorCode;
import io.parley.message.Message;
import io.parley.message.MessageElement;

/** About how much memory a message takes: its contents, and what stands around them. */
final class MessageSizeEstimator {

    /** What a header may take besides its body. */
    static final int HEADER_BYTES = 4096;

    private static final int ELEMENT_BYTES = 64;

    private MessageSizeEstimator() {}

    static long of(Message message) {
        long bytes = 0;
        for (MessageElement element : message) {
            bytes += of(element)
                    + element.signature().map(MessageSizeEstimator::of).orElse(0L);
        }
        return bytes;
    }

    private static long of(MessageElement element) {
        return ELEMENT_BYTES
                + element.namespace().length()
                + element.name().length()
                + element.type().length()
                + element.size();
    }

    /** @throws io.parley.error.InvalidCallException {@link ErrorCode#MESSAGE_TOO_LARGE} */
    static void check(String what, Message body, int maxBytes) {
        long bytes = of(body);
        if (bytes > maxBytes) {
            throw ErrorCode.MESSAGE_TOO_LARGE.exception(
                    what + ": " + bytes + " bytes (expected: <= maxBodyBytes " + maxBytes + ")");
        }
    }
}
