package io.parley.bench.contender;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A client of a stack with requests and responses, which correlates them itself. Thread-safe. */
public interface RequestContenderClient extends ContenderClient {

    /**
     * Sends one {@link Signal#ECHO} request without delay.
     *
     * @param done called once, with the response or the failure, on the thread on which the stack announces it. It may send the next
     *     request
     */
    void request(BiConsumer<@Nullable MessageBytes, @Nullable Throwable> done);
}
