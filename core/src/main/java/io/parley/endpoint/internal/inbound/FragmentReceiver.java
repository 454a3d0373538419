package io.parley.endpoint.internal.inbound;

import io.netty.buffer.ByteBuf;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.context.ServiceRegistry;
import io.parley.endpoint.internal.memory.MemoryBudget;
import io.parley.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * Receives the messages of one inbound channel that arrive in fragments, one at a time. When a message begins, {@link InboundChannel#onFirst}
 * has checked its size, charged its cost to the window, and reserved what exceeds the window. This class reserves nothing; it releases
 * the memory of a message that is dropped. Confined to the event loop of the link.
 */
final class FragmentReceiver {

    /** The number of keep-alive intervals in which a message in progress must get a fragment: a minute by default. */
    private static final int MAX_INTERVALS_WITHOUT_FRAGMENT = 4;

    private final int handle;
    private final ServiceRegistry.Binding binding;
    private final InboundWindow window;
    private final MemoryBudget memory;

    /** The message in progress; null if there is none. */
    private @Nullable FragmentAssembler assembler;

    /** The bytes beyond the window that are reserved for the message in progress. */
    private long reserved;

    /** The size of the largest message that has arrived in fragments, in bytes. */
    private int largest;

    /** The number of keep-alive intervals in a row without a fragment of the message in progress. */
    private int intervalsWithoutFragment;

    FragmentReceiver(int handle, ServiceRegistry.Binding binding, InboundWindow window, MemoryBudget memory) {
        this.handle = handle;
        this.binding = binding;
        this.window = window;
        this.memory = memory;
    }

    boolean isInProgress() {
        return assembler != null;
    }

    /**
     * Checks that a message may begin.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#PROTOCOL_VIOLATION} if it must not
     */
    void checkFirst(long total, ByteBuf fragment) {
        if (assembler != null || total <= fragment.readableBytes()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("unexpected FIRST frame on handle " + handle + ": "
                    + (assembler != null
                            ? "another message is in progress"
                            : "the message of " + total + " bytes needs no fragments"));
        }
    }

    /**
     * Begins a message that is charged to the window. {@code fragment} is borrowed for this call.
     *
     * @param beyondWindow the bytes that are reserved for the message
     */
    void begin(long total, long beyondWindow, ByteBuf fragment) {
        reserved = beyondWindow;
        FragmentAssembler started = new FragmentAssembler((int) total, largest, binding.isZeroCopy());
        assembler = started;
        started.add(fragment);
    }

    /**
     * Adds a fragment, which is borrowed for this call.
     *
     * @return the complete message, which the caller must release; null if fragments are missing
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#PROTOCOL_VIOLATION} if the fragment belongs to no message
     */
    @Nullable
    EncodedMessage add(ByteBuf fragment) {
        FragmentAssembler current = assembler;
        if (current == null || fragment.readableBytes() > current.missing()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "unexpected MORE frame on handle " + handle + ": no message in progress or fragment too long");
        }
        intervalsWithoutFragment = 0;
        current.add(fragment);
        if (current.missing() > 0) {
            return null;
        }
        long reservedForMessage = reserved;
        assembler = null;
        reserved = 0;
        largest = Math.max(largest, current.total());
        return new EncodedMessage(current.assemble(), EndpointContext.windowCost(current.total()), reservedForMessage);
    }

    /** Drops the message in progress, if there is one, and releases its memory. */
    void drop() {
        if (assembler != null) {
            window.discharge(EndpointContext.windowCost(assembler.total()));
            assembler.release();
            assembler = null;
        }
        memory.release(reserved);
        reserved = 0;
    }

    /**
     * Called at each keep-alive interval. Memory for a message that does not continue must not be held forever.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#LIMIT_EXCEEDED} if the message in progress gets no fragments
     */
    void checkProgress() {
        FragmentAssembler current = assembler;
        intervalsWithoutFragment = current == null ? 0 : intervalsWithoutFragment + 1;
        if (current != null && intervalsWithoutFragment > MAX_INTERVALS_WITHOUT_FRAGMENT) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("message of " + current.total() + " bytes to service "
                    + binding.service() + ": no fragment within " + MAX_INTERVALS_WITHOUT_FRAGMENT
                    + " keep-alive intervals; " + current.missing() + " bytes are missing");
        }
    }
}
