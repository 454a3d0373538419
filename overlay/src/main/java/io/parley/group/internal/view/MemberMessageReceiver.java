package io.parley.group.internal.view;

import io.parley.common.Scheduler;
import io.parley.common.internal.HostPrefix;
import io.parley.common.internal.KeyedRateLimiter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.SerialExecutor;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ParleyException;
import io.parley.group.MemberViewLimits;
import io.parley.group.PeerGroup;
import io.parley.group.internal.view.MemberViewCounters.Counter;
import io.parley.id.PeerId;
import io.parley.message.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the messages of other members for one view: limits the rates of hosts, passes messages to the executor of the view, and
 * reports those that are rejected. Thread-safe.
 */
final class MemberMessageReceiver {

    /** The messages about views that this peer accepts of one host in a second. */
    static final int VIEW_MESSAGES_PER_SECOND = 64;

    private static final int TOTAL_RATE_FACTOR = 10;
    private static final int MAX_HOSTS = 1024;

    /** The host of peers whose connection has just ended. No address has this text. */
    private static final String UNKNOWN_HOST = "?";

    private static final Logger log = LoggerFactory.getLogger(MemberMessageReceiver.class);

    /** The view. Its methods for messages are called on its executor, and throw a {@link ParleyException} to reject a message. */
    interface Owner {

        /** Returns whether messages are dropped from now on. Called on any thread. */
        boolean isClosing();

        void onViewMessage(PeerId from, String host, Message message);

        void onTreeMessage(PeerId from, Message message);
    }

    private final PeerGroup group;
    private final SerialExecutor serial;
    private final Owner owner;
    private final KeyedRateLimiter<String> viewRates;
    private final KeyedRateLimiter<String> messageRates;
    private final RateLimitedLogger rejectionLog;

    MemberMessageReceiver(PeerGroup group, SerialExecutor serial, MemberViewLimits limits, Owner owner) {
        this.group = group;
        this.serial = serial;
        this.owner = owner;
        this.viewRates = rates(VIEW_MESSAGES_PER_SECOND, group.scheduler());
        this.messageRates = rates(limits.messagesPerSecond(), group.scheduler());
        this.rejectionLog = new RateLimitedLogger(log, group.scheduler());
    }

    private static KeyedRateLimiter<String> rates(int ofHost, Scheduler scheduler) {
        return new KeyedRateLimiter<>(ofHost, (long) TOTAL_RATE_FACTOR * ofHost, MAX_HOSTS, scheduler);
    }

    /** Receives a message on the event loop of its connection, which waits for its credit until the message is processed. */
    void onMessage(ReceivedMessage received) {
        boolean isViewMessage = ViewMessageFormat.isViewMessage(received.message());
        String host = group.endpoint()
                .remoteAddress(received.from())
                .map(address -> HostPrefix.of(address.host()))
                .orElse(UNKNOWN_HOST);
        if (owner.isClosing()) {
            received.release();
        } else if (!(isViewMessage ? viewRates : messageRates).tryAcquire(host)) {
            group.count(isViewMessage ? Counter.MEMBERS_MESSAGES_THROTTLED : Counter.GROUPCASTS_THROTTLED, 1);
            received.release();
        } else {
            serial.execute(() -> {
                try {
                    process(received.from(), host, received.message(), isViewMessage);
                } finally {
                    received.release();
                }
            });
        }
    }

    private void process(PeerId from, String host, Message message, boolean isViewMessage) {
        if (owner.isClosing()) {
            return;
        }
        try {
            if (isViewMessage) {
                owner.onViewMessage(from, host, message);
            } else {
                owner.onTreeMessage(from, message);
            }
        } catch (ParleyException e) {
            rejectionLog.warn(
                    "Rejected a message of peer {} in the view of group {}: {}", from, group.name(), e.getMessage());
            group.count(isViewMessage ? Counter.MEMBERS_MESSAGES_REJECTED : Counter.GROUPCASTS_REJECTED, 1);
        }
    }
}
