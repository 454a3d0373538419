package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A message that comes in pieces, as far as it has come. It is put together in an array, or, to be lent, consists of the
 * pieces themselves.
 */
final class FragmentAssembler {

    /**
     * Up to here a message's memory, which the budget has granted, is taken when it begins; that of a larger one as it
     * arrives, because clearing it all at once would hold up the thread.
     */
    private static final int FIRST_CAPACITY = 64 * 1024 * 1024;

    /**
     * A piece keeps all the memory into which the network has read it. From a sender that cuts smaller, whose pieces could
     * keep many times their size, the message is put together in an array after all.
     */
    private static final int LEAST_KEPT_BYTES = OutboundChannel.PIECE_BYTES / 2;

    private final int total;
    private int received;
    private byte @Nullable [] array;
    private @Nullable CompositeByteBuf pieces;

    /** For a message of that many bytes. */
    FragmentAssembler(int total, boolean lent) {
        this.total = total;
        if (lent) {
            pieces = ByteBufAllocator.DEFAULT.compositeDirectBuffer(Integer.MAX_VALUE);
        }
    }

    int total() {
        return total;
    }

    int missing() {
        return total - received;
    }

    /** Takes the readable bytes of a piece, which is borrowed for this call and fits. */
    void add(ByteBuf piece) {
        int length = piece.readableBytes();
        CompositeByteBuf composed = pieces;
        if (composed != null && length < LEAST_KEPT_BYTES && length < missing()) {
            pieces = null;
            copyAll(composed);
            composed = null;
        }
        if (composed != null) {
            composed.addComponent(true, piece.retainedSlice());
        } else {
            piece.readBytes(withRoomFor(length), received, length);
        }
        received += length;
    }

    private void copyAll(CompositeByteBuf composed) {
        try {
            composed.readBytes(withRoomFor(received), 0, received);
        } finally {
            composed.release();
        }
    }

    private byte[] withRoomFor(int length) {
        byte[] target = array;
        if (target == null) {
            target = new byte[Math.max(received + length, Math.min(total, FIRST_CAPACITY))];
        } else if (target.length - received < length) {
            long needed = Math.max(4L * target.length, received + length);
            target = Arrays.copyOf(target, (int) Math.min(total, needed));
        }
        array = target;
        return target;
    }

    /** The whole message, of which nothing is missing; caller releases. Nothing is kept here. */
    ByteBuf take() {
        CompositeByteBuf composed = pieces;
        byte[] whole = array;
        pieces = null;
        array = null;
        return composed != null ? composed : Unpooled.wrappedBuffer(whole == null ? new byte[0] : whole);
    }

    /** Forgets what has come. */
    void release() {
        CompositeByteBuf composed = pieces;
        pieces = null;
        array = null;
        if (composed != null) {
            composed.release();
        }
    }
}
