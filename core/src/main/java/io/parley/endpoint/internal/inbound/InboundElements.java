package io.parley.endpoint.internal.inbound;

import io.parley.encoding.EncodingScheme;
import io.parley.encoding.internal.ElementDecoder;
import io.parley.endpoint.internal.context.ServiceRegistry;
import io.parley.endpoint.internal.memory.ElementReservation;
import io.parley.endpoint.internal.memory.MemoryBudget;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the elements of the messages of one remote messenger, over all links. A message is decoded when the listener reads it, on
 * that thread. If a scheme keeps state, messages are decoded in their order: the one that is read, after those before it. Thread-safe,
 * except that only the holder of the sequence adds messages.
 */
public final class InboundElements {

    /** The message of an entry, outside of this class. */
    interface Handler {

        /**
         * Returns the memory in which the elements are decoded.
         *
         * @param free the bytes that are charged for the received message
         */
        ElementReservation newReservation(long free);

        /** Releases the memory of the decoded message beyond that of the received one. */
        void release(long bytes);

        /** Called once when the message cannot be decoded, without a lock, because the listener of the channel may be notified. */
        void onFailed(ParleyException failure);
    }

    private final ServiceRegistry.Binding binding;
    private final List<EncodingScheme> schemes;
    private final ElementDecoder decoder;

    /** The messages that are not decoded, if a scheme keeps state. */
    private final Queue<Entry> pending = new ConcurrentLinkedQueue<>();

    private long added;

    /** The entries below this number are not decoded any more. Grows when a message is released that was never read. */
    private volatile long firstValid;

    /** The number of the entry that is decoded next. Guarded by the decoder. */
    private long next;

    private @Nullable MemoryBudget budget;
    private long charged;
    private boolean released;

    /** @param schemes the schemes of the channel, at least one */
    public InboundElements(ServiceRegistry.Binding binding, List<EncodingScheme> schemes, ElementDecoder decoder) {
        this.binding = binding;
        this.schemes = schemes;
        this.decoder = decoder;
    }

    /** Returns the memory that the schemes may keep, in bytes. */
    public static long stateBytes(List<EncodingScheme> schemes) {
        return schemes.stream().mapToLong(EncodingScheme::maxStateBytes).sum();
    }

    /**
     * Returns whether a channel to the same registration of the service, with the same schemes, continues with the state of these. Without
     * a message there is none: the sender has perhaps not received the response of the link that has begun it, and has the state before.
     */
    public boolean isContinuedBy(ServiceRegistry.Binding other, List<EncodingScheme> selected) {
        return added > 0 && binding == other && schemes.equals(selected);
    }

    public List<String> schemeNames() {
        return schemes.stream().map(EncodingScheme::name).toList();
    }

    /** Takes over the memory for the state, which is reserved in a budget, and releases that of an earlier link. */
    public void charge(MemoryBudget reservedIn, long bytes) {
        MemoryBudget former;
        long formerBytes;
        synchronized (this) {
            former = released ? reservedIn : budget;
            formerBytes = released ? bytes : charged;
            if (!released) {
                budget = reservedIn;
                charged = bytes;
            }
        }
        if (former != null) {
            former.release(formerBytes);
        }
    }

    /** Releases the memory for the state, because the sequence of the channel has ended. */
    void release() {
        MemoryBudget former;
        long bytes;
        synchronized (this) {
            released = true;
            former = budget;
            bytes = charged;
            budget = null;
            charged = 0;
        }
        if (former != null) {
            former.release(bytes);
        }
    }

    /**
     * Adds a message with encoded elements. Called by the holder of the sequence, in the order of the messages.
     *
     * @param charged the bytes that are charged for the message
     */
    Entry add(Message encoded, long number, long charged, Handler handler) {
        Entry entry = new Entry(encoded, number, charged, handler, added++);
        if (!decoder.isStateless()) {
            removeInvalid();
            pending.add(entry);
        }
        return entry;
    }

    private void removeInvalid() {
        for (Entry first = pending.peek(); first != null && first.index < firstValid; first = pending.peek()) {
            pending.remove(first);
        }
    }

    private synchronized void invalidate(long index) {
        firstValid = Math.max(firstValid, index + 1);
    }

    /** A message with encoded elements. */
    final class Entry {

        private final long number;
        private final long charged;
        private final Handler handler;
        private final long index;
        private volatile @Nullable Message encoded;
        private volatile @Nullable Message decoded;
        private volatile @Nullable ParleyException failure;
        private volatile boolean released;

        /** The memory that the decoded message needs, until it is released. */
        private final AtomicLong reserved = new AtomicLong();

        private Entry(Message encoded, long number, long charged, Handler handler, long index) {
            this.encoded = encoded;
            this.number = number;
            this.charged = charged;
            this.handler = handler;
            this.index = index;
        }

        /**
         * Returns the decoded message. The first call decodes it.
         *
         * @throws ParleyException if it cannot be decoded
         */
        Message decode() {
            Message known = decoded;
            if (known == null && failure == null) {
                if (decoder.isStateless()) {
                    decodeOnce();
                } else {
                    decodeInOrder(this);
                }
                known = decoded;
            }
            ParleyException reason = failure;
            if (reason != null) {
                throw reason;
            }
            return Objects.requireNonNull(known);
        }

        /** Returns the decoded message, or else the received one. Decodes nothing. Empty if there is neither. */
        Message undecoded() {
            Message received = encoded; // before the decoded one, which replaces it
            Message known = decoded;
            if (known != null) {
                return known;
            }
            return received == null ? Message.EMPTY : received;
        }

        /** Called when the message is released. If it was not read, the messages after it lack the state of it. */
        void release() {
            released = true;
            encoded = null;
            releaseMemory();
            if (decoded == null && failure == null && !decoder.isStateless()) {
                invalidate(index);
            }
        }

        private void decodeOnce() {
            boolean failed;
            synchronized (this) {
                failed = decoded == null && failure == null && !tryDecodeNow();
            }
            if (failed) {
                reportFailure();
            }
        }

        /** Returns false if it has failed, which the caller must {@linkplain #reportFailure report} without a lock. */
        private boolean tryDecodeNow() {
            Message received = encoded;
            try {
                if (received == null || index < firstValid) {
                    throw ErrorCode.CLOSED.exception("message: it, or one after it, was released before it was read");
                }
                decoded = decodeReserved(received);
            } catch (ParleyException e) {
                failure = e;
            } catch (RuntimeException | Error e) { // of a faulty scheme
                failure = ErrorCode.MALFORMED_MESSAGE.exception("encoded element: decoding failed: " + e, e);
            }
            encoded = null;
            return failure == null;
        }

        /** Reserves memory before an element is decoded. Releases what the decoded message does not need beyond the received one. */
        private Message decodeReserved(Message received) {
            try (ElementReservation memory = handler.newReservation(charged)) {
                Message restored = decoder.decode(received, number, memory);
                reserved.set(memory.keep(Math.max(0, restored.memoryBytes(0) - charged)));
                if (released) { // meanwhile
                    releaseMemory();
                }
                return restored;
            }
        }

        private void releaseMemory() {
            long bytes = reserved.getAndSet(0);
            if (bytes > 0) {
                handler.release(bytes);
            }
        }

        private void reportFailure() {
            handler.onFailed(Objects.requireNonNull(failure));
        }
    }

    private void decodeInOrder(Entry last) {
        List<Entry> failed = new ArrayList<>();
        synchronized (decoder) {
            while (last.decoded == null && last.failure == null) {
                Entry first = pending.poll();
                Entry current = first == null ? last : first; // it was removed, because it is invalid
                if (current.index != next) {
                    decoder.reset();
                }
                next = current.index + 1;
                if (!current.tryDecodeNow()) {
                    failed.add(current);
                }
            }
        }
        failed.forEach(Entry::reportFailure);
    }
}
