package io.parley.endpoint.internal.inbound;

import io.parley.endpoint.internal.memory.MemoryBudget;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Returns the credit of released messages to the sender of one inbound channel, and acknowledges received messages. Sizes the window:
 * lets it grow with the credit, and asks an idle sender for what it does not use. {@link #release} is thread-safe; all other methods
 * are confined to the event loop of the link.
 */
public final class InboundCreditSender implements AckSender.Source {

    /** The link, and the way that the frames of the channel take. */
    interface Carrier {

        /**
         * Runs the task on the event loop: now if this is its thread. Runs the other one on this thread if the event loop has
         * terminated. Thread-safe.
         */
        void run(Runnable task, Runnable otherwise);

        /** Acknowledges the messages of a channel soon. Must not be called again until that is done. */
        void acknowledgeSoon(AckSender.Source channel);

        /** Sends an acknowledgement outside of a read, with credit. */
        void sendAck(int handle, long count, long credit);

        void sendCredit(int handle, long credit);

        /** Writes an acknowledgement without a flush. */
        void writeAck(int handle, long count, long credit);

        /** Writes a request for unused credit, without a flush. */
        void writeShrink(int handle, long bytes);
    }

    private final Carrier carrier;
    private final int handle;
    private final InboundWindow window;
    private final MemoryBudget memory;
    private final @Nullable InboundSequence sequence;
    private final BooleanSupplier waiting;

    /** The channels of the link whose window is larger than the smallest one. */
    private final Set<InboundCreditSender> grown;

    private final AtomicBoolean creditScheduled = new AtomicBoolean();

    /** Whether a message was delivered since the last check for idle channels. */
    private boolean used;

    private boolean ackDue;
    private volatile boolean closed;

    /**
     * Creates a sender of credit.
     *
     * @param memory   the budget in which messages and their window are reserved
     * @param sequence counts the messages, which are acknowledged; {@code null} if the remote peer does not ask for that
     * @param waiting  returns whether a message has arrived, in whole or in part, that is not yet delivered
     * @param grown    the channels of the link whose window has grown
     */
    InboundCreditSender(
            Carrier carrier,
            int handle,
            InboundWindow window,
            MemoryBudget memory,
            @Nullable InboundSequence sequence,
            BooleanSupplier waiting,
            Set<InboundCreditSender> grown) {
        this.carrier = carrier;
        this.handle = handle;
        this.window = window;
        this.memory = memory;
        this.sequence = sequence;
        this.waiting = waiting;
        this.grown = grown;
    }

    /** Counts and acknowledges a message. Must be called before the listener is, so that its response carries the acknowledgement. */
    void onReceived() {
        used = true;
        if (sequence != null) {
            sequence.countReceived();
            if (!ackDue) {
                ackDue = true;
                carrier.acknowledgeSoon(this);
            }
        }
    }

    /** Releases a message, and returns its credit to the sender. Thread-safe. */
    void release(long cost, long reserved) {
        if (reserved > 0) {
            memory.release(reserved);
        }
        if ((window.release(cost) || closed) && creditScheduled.compareAndSet(false, true)) {
            carrier.run(this::returnCredit, this::returnCreditAfterTheEnd); // the budget outlives the event loop
        }
    }

    /** Releases memory after the event loop has ended, on any thread. */
    private synchronized void returnCreditAfterTheEnd() {
        returnCredit();
    }

    private void returnCredit() {
        creditScheduled.set(false);
        if (closed) {
            window.close();
            return;
        }
        long credit = takeCredit();
        if (credit > 0 && sequence != null) {
            ackDue = false;
            carrier.sendAck(handle, sequence.received(), credit);
        } else if (credit > 0) {
            carrier.sendCredit(handle, credit);
        }
    }

    /** Returns the credit for the sender: the released bytes, and those by which the window grows now. */
    private long takeCredit() {
        long credit = window.takeReleased();
        long growth = window.grow(credit);
        if (growth > 0) {
            grown.add(this);
        }
        return credit + growth;
    }

    /** Writes an ACK frame for all received messages with all credit that is due, unless one was sent meanwhile. */
    @Override
    public void writeAck() {
        if (!closed && ackDue && sequence != null) {
            ackDue = false;
            carrier.writeAck(handle, sequence.received(), takeCredit());
        }
    }

    /** Called when the sender has messages and had no credit. */
    void onBlocked() {
        if (window.onBlocked()) {
            returnCredit();
        }
    }

    /** Asks the sender for the unused part of a window that has grown, if no message has arrived since the last call. */
    public void shrinkIfIdle() {
        if (window.isShrinking()) {
            return;
        }
        boolean idle = !used && !waiting.getAsBoolean();
        used = false;
        if (idle) {
            returnCredit();
            long unused = window.startShrinking();
            if (unused > 0) {
                carrier.writeShrink(handle, unused);
            }
        }
    }

    /** Called at each keep-alive interval, see {@link InboundWindow#checkShrinkResponse}. */
    public void checkShrinkResponse() {
        window.checkShrinkResponse();
    }

    /** Called when the sender has given unused credit back. */
    void onShrunk(long bytes) {
        if (window.onShrunk(bytes)) {
            grown.remove(this);
        }
        returnCredit(); // less than before is enough now
    }

    /** Releases the window. Messages that are released later return their memory, and no credit. */
    void close() {
        closed = true;
        grown.remove(this);
        returnCredit();
    }
}
