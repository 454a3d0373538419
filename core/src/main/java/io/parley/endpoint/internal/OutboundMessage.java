package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.transport.Connection;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way out. Where its channel is open already and the codec allows it, it is encoded when it is sent, else
 * when its turn has come; and again for the next link, when the link goes before the message does.
 */
final class OutboundMessage implements Connection.WriteListener {

    /** What a queued message is counted with beyond its payload, for the objects that make it up. */
    private static final int OVERHEAD_BYTES = 256;

    private final Message message;
    private final long size;
    private final CompletableFuture<Void> sent = new CompletableFuture<>();
    private @Nullable MessageEncoder encodedBy;
    private @Nullable ByteBuf encoded;

    OutboundMessage(Message message) {
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

    /** Encodes it now, in this thread. Not to be called while another thread may take it. */
    void prepare(MessageEncoder encoder) {
        encoded = encoder.encode(message);
        encodedBy = encoder;
    }

    /** The encoded form for a channel; the caller releases. */
    ByteBuf take(MessageEncoder encoder) {
        ByteBuf ready = encoded;
        if (ready == null || encodedBy != encoder) {
            ReferenceCountUtil.release(ready);
            encoded = null;
            return encoder.encode(message);
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
            sent.completeExceptionally(ErrorCode.LOST.exception(
                    "the connection was lost while the message was being sent; it may have arrived", failure));
        }
    }
}
