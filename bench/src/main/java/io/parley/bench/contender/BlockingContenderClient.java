package io.parley.bench.contender;

import java.io.IOException;

/** A link whose caller waits for replies in a way of the stack's own, instead of being told by {@link ReplyDispatcher}. */
public interface BlockingContenderClient extends ContenderClient {

    /** Waits for the next reply and consumes it. */
    void awaitReply() throws IOException, InterruptedException;
}
