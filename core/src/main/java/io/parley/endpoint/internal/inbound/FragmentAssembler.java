package io.parley.endpoint.internal.inbound;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.endpoint.internal.context.EndpointContext;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Assembles a message from fragments: in an array, or for zero-copy delivery as a composite of the fragments. Confined to
 * the event loop of the link.
 */
final class FragmentAssembler {

    /** The size of the first array, unless the first fragment needs more. */
    private static final int MIN_CAPACITY = 64 * 1024;

    /**
     * The array is at most this many times as large as what has arrived, so that a sender which announces a large message cannot
     * make this peer allocate and clear it, unless the sender has sent a message of that size. Growth copies little of the message; one of
     * up to 2 MiB from Parley is copied once, because its first fragment has 128 KiB. The memory is reserved from the budget with the
     * first fragment.
     */
    private static final int GROWTH_FACTOR = 16;

    /**
     * The smallest fragment that is retained for zero-copy delivery. A fragment retains all the memory into which the
     * network read it. Smaller fragments could retain many times their size, so such a message is assembled in an array.
     */
    private static final int MIN_RETAINED_BYTES = EndpointContext.FRAGMENT_BYTES / 2;

    private final int total;
    private final int proven;
    private int received;
    private byte @Nullable [] array;
    private @Nullable CompositeByteBuf fragments;

    /**
     * Creates an assembler for a message of {@code total} bytes.
     *
     * @param proven the size of a message in bytes that the sender has sent whole
     */
    FragmentAssembler(int total, int proven, boolean zeroCopy) {
        this.total = total;
        this.proven = proven;
        if (zeroCopy) {
            fragments = ByteBufAllocator.DEFAULT.compositeDirectBuffer(Integer.MAX_VALUE);
        }
    }

    int total() {
        return total;
    }

    int missing() {
        return total - received;
    }

    /** Adds the readable bytes of a fragment, at most {@link #missing()}. {@code fragment} is borrowed for this call. */
    void add(ByteBuf fragment) {
        int length = fragment.readableBytes();
        CompositeByteBuf composed = fragments;
        if (composed != null && length < MIN_RETAINED_BYTES && length < missing()) {
            fragments = null;
            copyAll(composed);
            composed = null;
        }
        if (composed != null) {
            composed.addComponent(true, fragment.retainedSlice());
        } else {
            fragment.readBytes(arrayWithRoomFor(length), received, length);
        }
        received += length;
    }

    private void copyAll(CompositeByteBuf composed) {
        try {
            composed.readBytes(arrayWithRoomFor(received), 0, received);
        } finally {
            composed.release();
        }
    }

    private byte[] arrayWithRoomFor(int length) {
        byte[] target = array;
        if (target == null || target.length - received < length) {
            long arrived = (long) received + length;
            long permitted = Math.max(Math.max(MIN_CAPACITY, proven), arrived * GROWTH_FACTOR);
            int capacity = (int) Math.min(total, permitted);
            target = target == null ? new byte[capacity] : Arrays.copyOf(target, capacity);
        }
        array = target;
        return target;
    }

    /** Returns the complete message. The caller must release it. The assembler is empty afterwards. */
    ByteBuf assemble() {
        CompositeByteBuf composed = fragments;
        byte[] assembled = array;
        fragments = null;
        array = null;
        return composed != null ? composed : Unpooled.wrappedBuffer(assembled == null ? new byte[0] : assembled);
    }

    /** Releases the fragments. */
    void release() {
        CompositeByteBuf composed = fragments;
        fragments = null;
        array = null;
        if (composed != null) {
            composed.release();
        }
    }
}
