package io.parley.endpoint.internal.messenger;

import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.QueueLimits;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.error.ErrorCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one messenger in order: those that were sent and are not acknowledged, those that wait, and those whose elements
 * must be encoded first; and the position in the channel to which they belong. {@link #hasRoom}, {@link #isHalfEmpty}, {@link
 * #isSendable}, {@link #isBestEffort} and {@link #dropped} are thread-safe; all other methods must be called with the lock of the
 * messenger.
 */
final class OutboundQueue {

    private final EndpointContext context;
    private final MessengerOptions.Delivery delivery;
    private final long capacity;
    private final int maxMessages;

    /** Null if the rate is not limited. Set before the first message. */
    private @Nullable SendRateGate rate;

    /** The time in the queue after which a message is dropped, in nanoseconds; 0 for no limit. */
    private final long timeToLiveNanos;

    private final long maxUnacknowledgedBytes;
    private final LinkedQueue<OutboundMessage> waiting = new LinkedQueue<>();
    private final Deque<OutboundMessage> unacknowledged = new ArrayDeque<>();

    /** The messages whose elements are not encoded. Empty unless the messenger encodes elements. */
    private final LinkedQueue<OutboundMessage> plain = new LinkedQueue<>();

    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicLong unacknowledgedBytes = new AtomicLong();

    /**
     * The size of the messages that occupy room: a reliable messenger's until they are polled for the first time. What has returned to the
     * queue since ({@link #restore}, {@link #requeueUnacknowledged}) occupies none, so only senders fill a queue: one that is alone finds
     * the room that was reported to it. The messages that occupy no room are those of one window at most, as they were when they were sent.
     */
    private final AtomicLong occupiedBytes = new AtomicLong();

    /** The number of the messages that take room, if that is limited. */
    private volatile int occupiedMessages;

    /** The number of messages that were dropped because the queue was full or they were too old, and of shared ones that were discarded. */
    private volatile long dropped;

    /** The number of the channel at the receiver. A channel whose messages were given up is continued under a new number. */
    private long channel;

    /** The number of acknowledged messages of the channel. */
    private long acknowledged;

    /** The links with an open channel that were lost without an acknowledgement, or with best effort without a message, while some waited. */
    private final LossCounter withoutProgress;

    /** The links that were lost before the channel was open. */
    private final LossCounter unopened;

    OutboundQueue(EndpointContext context, MessengerOptions options) {
        this.context = context;
        this.delivery = options.delivery();
        QueueLimits limits = options.queue().orElse(null);
        this.capacity = limits == null ? context.limits().queueBytes() : limits.maxBytes();
        this.maxMessages = limits == null ? Integer.MAX_VALUE : limits.maxMessages();
        this.timeToLiveNanos = limits == null || limits.timeToLive().equals(EndpointLimits.MAX_TIMEOUT)
                ? 0
                : limits.timeToLive().toNanos();
        this.maxUnacknowledgedBytes = context.limits().windowBytes();
        this.channel = context.newChannelNumber();
        this.withoutProgress = new LossCounter(context);
        this.unopened = new LossCounter(context);
    }

    /** Limits the rate. Must be called before the first message is added. */
    void limitRate(SendRateGate gate) {
        rate = gate;
    }

    /** Ends the wait for the rate, because no message is left. */
    void stopRate() {
        if (rate != null) {
            rate.forget();
        }
    }

    /** Returns whether the queue is not full. Such a queue accepts a message of any size. */
    boolean hasRoom() {
        return occupiedBytes.get() < capacity && occupiedMessages < maxMessages;
    }

    /** Returns whether a full queue drops messages, and messages are not kept after they were sent. */
    boolean isBestEffort() {
        return delivery.isBestEffort();
    }

    long dropped() {
        return dropped;
    }

    /**
     * Makes room for a message if the queue is full and that is its way: removes and returns its oldest messages. Counts them, or
     * the message for which there is no room.
     */
    List<OutboundMessage> makeRoom() {
        if (hasRoom() || !isBestEffort()) {
            return List.of();
        }
        List<OutboundMessage> removed = new ArrayList<>(1);
        while (delivery == MessengerOptions.Delivery.DROP_OLDEST && !hasRoom()) {
            OutboundMessage oldest = Objects.requireNonNull(oldest());
            remove(oldest);
            removed.add(oldest);
        }
        long sum = dropped + Math.max(1, removed.size());
        dropped = sum;
        return removed;
    }

    /** Returns whether callers that wait for room are notified: not at each message, which would wake them too often. */
    boolean isHalfEmpty() {
        return occupiedBytes.get() <= capacity / 2 && occupiedMessages <= maxMessages / 2;
    }

    /** Returns whether a message can be sent now. A receiver that acknowledges nothing must not make this peer keep everything. */
    boolean isSendable() {
        return waitingBytes.get() > 0
                && unacknowledgedBytes.get() < maxUnacknowledgedBytes
                && (rate == null || !rate.isWaiting());
    }

    boolean isEmpty() {
        return waiting.isEmpty() && plain.isEmpty() && unacknowledged.isEmpty();
    }

    boolean hasUnacknowledged() {
        return !unacknowledged.isEmpty();
    }

    /** Describes why there is no room. */
    String describeFull() {
        return occupiedBytes.get() + " bytes are queued (queueBytes: " + capacity
                + (maxMessages == Integer.MAX_VALUE ? ")" : ", maxMessages: " + maxMessages + ")");
    }

    long channel() {
        return channel;
    }

    long acknowledged() {
        return acknowledged;
    }

    void add(OutboundMessage message) {
        onQueued(message);
        waiting.add(message);
        add(waitingBytes, message.size());
        occupy(message);
    }

    /** Adds a message whose elements must be encoded. */
    void addPlain(OutboundMessage message) {
        onQueued(message);
        plain.add(message);
        occupy(message);
    }

    private void onQueued(OutboundMessage message) {
        if (isEmpty()) {
            onNeeded();
        }
        if (timeToLiveNanos > 0) {
            message.expireAt(context.scheduler().nanoTime() + timeToLiveNanos);
        }
    }

    /** Counts messages that were discarded unsent: the messenger has failed or was closed, or they cannot be encoded. */
    void countDiscarded(int count) {
        long sum = dropped + count;
        dropped = sum;
    }

    /** Returns the oldest message that was not sent, or null. */
    private @Nullable OutboundMessage oldest() {
        OutboundMessage first = waiting.peek();
        return first == null ? plain.peek() : first;
    }

    boolean hasPlain() {
        return !plain.isEmpty();
    }

    /** Returns the next message whose elements must be encoded, or null. */
    @Nullable
    OutboundMessage firstPlain() {
        return plain.peek();
    }

    /** Returns the number of messages of the channel that precede the one that is encoded next. */
    long nextNumber() {
        return acknowledged + unacknowledged.size() + waiting.size();
    }

    /** Makes the first message whose elements had to be encoded wait for its turn to be sent. */
    void moveToWaiting(OutboundMessage encoded) {
        plain.remove(encoded);
        waiting.add(encoded); // its time to live has begun when it was queued
        add(waitingBytes, encoded.size());
    }

    /** Discards the encoded elements of all messages that wait. */
    void returnToPlain() {
        for (OutboundMessage last = waiting.pollLast(); last != null; last = waiting.pollLast()) {
            last.clearOutgoing();
            plain.addFirst(last);
        }
        waitingBytes.set(0);
    }

    /** Removes a message that waits. Returns false if it was sent. */
    boolean remove(OutboundMessage message) {
        if (waiting.remove(message)) {
            add(waitingBytes, -message.size());
            vacate(message);
            if (rate != null) {
                rate.onRemoved(message, !waiting.isEmpty());
            }
            return true;
        }
        boolean removed = plain.remove(message);
        if (removed) {
            vacate(message);
            if (rate != null) { // it may have been encoded before
                rate.onRemoved(message, false);
            }
        }
        return removed;
    }

    /**
     * Moves the next messages to {@code target}: at least one if there is one and the rate permits it, and no more after about
     * {@code bytes} bytes.
     *
     * @param kept whether to keep the messages until they are acknowledged
     * @return the messages that were removed and counted instead, because they were too old
     */
    List<OutboundMessage> poll(Queue<OutboundMessage> target, long bytes, boolean kept) {
        List<OutboundMessage> expired = removeExpired();
        long polled = 0;
        long vacatedBytes = 0;
        int vacatedMessages = 0;
        while (polled < bytes && unacknowledgedBytes.get() < maxUnacknowledgedBytes) {
            OutboundMessage next = waiting.peek();
            if (next == null || (rate != null && !rate.admit(next))) {
                break;
            }
            waiting.poll();
            polled += next.size();
            if (next.isOccupying()) {
                next.setOccupying(false);
                vacatedBytes += next.size();
                vacatedMessages++;
            }
            target.add(next);
            if (kept) {
                unacknowledged.add(next);
                add(unacknowledgedBytes, next.size());
            }
        }
        add(waitingBytes, -polled);
        addOccupied(-vacatedBytes, -vacatedMessages);
        if (polled > 0 && !kept) {
            withoutProgress.reset();
        }
        return expired;
    }

    private List<OutboundMessage> removeExpired() {
        if (timeToLiveNanos == 0) {
            return List.of();
        }
        long now = context.scheduler().nanoTime();
        List<OutboundMessage> expired = new ArrayList<>();
        for (OutboundMessage oldest = oldest(); oldest != null && oldest.isExpired(now); oldest = oldest()) {
            remove(oldest);
            expired.add(oldest);
        }
        long sum = dropped + expired.size();
        dropped = sum;
        return expired;
    }

    /** Returns the last messages that were polled and not sent, which this call removes from {@code unsent}. */
    void restore(Deque<OutboundMessage> unsent, boolean kept) {
        for (OutboundMessage last = unsent.pollLast(); last != null; last = unsent.pollLast()) {
            if (!kept || forget(last)) { // otherwise it has failed meanwhile
                waiting.addFirst(last);
                add(waitingBytes, last.size());
                if (isBestEffort()) { // which keeps no more messages than its limits permit, and may drop this one
                    occupy(last);
                }
            }
        }
    }

    /** Forgets a message that was polled. Returns false if it is not kept any more. */
    boolean forget(OutboundMessage polled) {
        boolean removed = unacknowledged.removeLastOccurrence(polled);
        if (removed) {
            add(unacknowledgedBytes, -polled.size());
        }
        return removed;
    }

    /**
     * Removes and returns the messages that the receiver has acknowledged.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#PROTOCOL_VIOLATION} if it cannot have that many
     */
    List<OutboundMessage> acknowledge(long received) {
        long count = received - acknowledged;
        if (count < 0 || count > unacknowledged.size()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("acknowledged messages of the channel: " + received
                    + " (expected: " + acknowledged + " to " + (acknowledged + unacknowledged.size()) + ")");
        }
        List<OutboundMessage> done = new ArrayList<>((int) count);
        long bytes = 0;
        for (long i = 0; i < count; i++) {
            OutboundMessage next = unacknowledged.remove();
            bytes += next.size();
            done.add(next);
        }
        add(unacknowledgedBytes, -bytes);
        acknowledged = received;
        if (count > 0) {
            withoutProgress.reset();
        }
        return done;
    }

    /** Removes and returns the unacknowledged messages, for a receiver that continues the channel behind them. */
    List<OutboundMessage> skipUnacknowledged() {
        List<OutboundMessage> removed = List.copyOf(unacknowledged);
        unacknowledged.clear();
        unacknowledgedBytes.set(0);
        return removed;
    }

    /** Removes and returns the unacknowledged messages. The receiver may have any of them, so a new channel follows. */
    List<OutboundMessage> removeUnacknowledged() {
        if (unacknowledged.isEmpty()) {
            return List.of();
        }
        List<OutboundMessage> removed = skipUnacknowledged();
        startNewChannel();
        return removed;
    }

    /** Continues under a new number. There must be no unacknowledged messages. */
    void startNewChannel() {
        withoutProgress.reset();
        acknowledged = 0;
        channel = context.newChannelNumber();
    }

    /** Puts the unacknowledged messages in front of those that wait. Returns their number. */
    int requeueUnacknowledged() {
        int count = unacknowledged.size();
        for (OutboundMessage next = unacknowledged.pollLast(); next != null; next = unacknowledged.pollLast()) {
            waiting.addFirst(next);
            add(waitingBytes, next.size());
        }
        unacknowledgedBytes.set(0);
        return count;
    }

    /** Removes and returns the messages that wait. */
    List<OutboundMessage> removeWaiting() {
        List<OutboundMessage> removed = new ArrayList<>(waiting.size() + plain.size());
        waiting.drainTo(removed);
        plain.drainTo(removed);
        waitingBytes.set(0);
        occupiedBytes.set(0);
        occupiedMessages = 0;
        stopRate();
        return removed;
    }

    /** Called when the channel becomes needed, at this peer. Links that were lost before do not count. */
    void onNeeded() {
        withoutProgress.reset();
        unopened.reset();
    }

    /** Called when the channel is open on a link. */
    void onOpened() {
        unopened.reset();
    }

    /**
     * Called when a link is lost. Returns the links in a row that were lost without progress. They are never overdue while all messages wait
     * for the window of the receiver or for their rate: such a wait has no limit on one link either.
     *
     * @param opened whether the channel was open on the link
     */
    LossCounter.Losses onLinkLost(boolean opened) {
        LossCounter.Losses lost = withoutProgress.onLinkLost(opened && !isEmpty());
        if (!unacknowledged.isEmpty()) {
            return lost;
        }
        withoutProgress.restartTime();
        return new LossCounter.Losses(lost.links(), false);
    }

    /**
     * Called when a link is lost before the channel was open. Returns the links in a row that were lost in this way.
     *
     * @param needed whether the channel was needed
     */
    LossCounter.Losses onOpeningFailed(boolean needed) {
        return unopened.onLinkLost(needed);
    }

    private void occupy(OutboundMessage message) {
        message.setOccupying(true);
        addOccupied(message.size(), 1);
    }

    /** Called when a message was removed, which may have taken room. */
    private void vacate(OutboundMessage message) {
        if (message.isOccupying()) {
            message.setOccupying(false);
            addOccupied(-message.size(), -1);
        }
    }

    /** Makes the room visible to callers without the lock; that of messages only if they need it. */
    private void addOccupied(long bytes, int messages) {
        add(occupiedBytes, bytes);
        if (maxMessages < Integer.MAX_VALUE) {
            int count = occupiedMessages + messages;
            occupiedMessages = count;
        }
    }

    /** Adds to a sum, which is written with the lock only. The release of the lock publishes it; a fence here would be another one. */
    private static void add(AtomicLong sum, long bytes) {
        sum.setRelease(sum.getPlain() + bytes);
    }
}
