package io.parley.pipes.internal.work;

import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.pipes.internal.unicast.ServiceInputPipe;

/**
 * The response to a task whose handler has returned: an empty message, or one with the element {@code Concurrency}, a byte, if the worker
 * executes more than one task at a time.
 */
final class TaskConfirmation {

    private static final String NAMESPACE = "parley.work";
    private static final String CONCURRENCY = "Concurrency";

    private TaskConfirmation() {}

    /** @param concurrency 1 to {@link ServiceInputPipe#MAX_CONCURRENT} */
    static Message of(int concurrency) {
        return concurrency == 1
                ? Message.EMPTY
                : Message.of(MessageElement.of(CONCURRENCY, new byte[] {(byte) concurrency})
                        .withNamespace(NAMESPACE));
    }

    /** Returns the concurrency of the worker, as the worker has stated it: 1 to {@link ServiceInputPipe#MAX_CONCURRENT}. */
    static int concurrency(Message confirmation) {
        return confirmation
                .element(NAMESPACE, CONCURRENCY)
                .filter(element -> element.size() == 1)
                .map(element -> Math.max(1, Math.min(element.toByteArray()[0], ServiceInputPipe.MAX_CONCURRENT)))
                .orElse(1);
    }
}
