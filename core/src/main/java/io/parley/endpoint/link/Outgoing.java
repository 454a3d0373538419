package io.parley.endpoint.link;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.parley.endpoint.Connection;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way out. It is encoded for the link that is live when it is sent; when that link goes before the
 * message does, it is encoded again for the next.
 */
final class Outgoing implements Connection.WriteListener {

    /** What a queued message is counted with beyond its payload, for the objects that make it up. */
    private static final int OVERHEAD_BYTES = 256;

    private final Message message;
    private final long size;
    private final CompletableFuture<Void> sent = new CompletableFuture<>();
    private @Nullable Link encodedFor;
    private @Nullable ByteBuf encoded;

    Outgoing(Message message) {
        this.message = message;
        this.size = message.payloadBytes() + OVERHEAD_BYTES;
    }

    /** What it counts for in a queue. */
    long size() {
        return size;
    }

    CompletableFuture<Void> sent() {
        return sent;
    }

    /** Encodes it for that link now, in this thread. Not to be called while another thread may take it. */
    void prepare(Link link) {
        encoded = link.encode(message);
        encodedFor = link;
    }

    /** The encoded form for that link; the caller releases. */
    ByteBuf take(Link link) {
        ByteBuf ready = encoded;
        if (ready == null || encodedFor != link) {
            ReferenceCountUtil.release(ready);
            encoded = null;
            return link.encode(message);
        }
        encoded = null;
        return ready;
    }

    void fail(ParleyException cause) {
        ReferenceCountUtil.release(encoded);
        encoded = null;
        sent.completeExceptionally(cause);
    }

    @Override
    public void onWritten(@Nullable Throwable failure) {
        if (failure == null) {
            sent.complete(null);
        } else {
            sent.completeExceptionally(
                    failure instanceof ParleyException known
                            ? known
                            : ErrorCode.CLOSED.exception(
                                    "the connection was lost while the message was being sent; it may have arrived",
                                    failure));
        }
    }
}
