package io.parley.bench.contender;

import java.io.IOException;

/** A client whose caller waits for replies in the stack's own blocking call, without a {@link ReplyDispatcher}. */
public interface BlockingContenderClient extends ContenderClient {

    /** Waits for the next reply and consumes it. */
    void awaitReply() throws IOException, InterruptedException;
}
