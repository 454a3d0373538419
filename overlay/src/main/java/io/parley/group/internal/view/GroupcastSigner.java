package io.parley.group.internal.view;

import io.parley.common.Scheduler;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.rendezvous.internal.SignedGroupMessage;
import java.time.Duration;
import java.util.List;

/** Signs the messages of this peer to all members of one group, and checks those of others. Thread-safe. */
final class GroupcastSigner {

    /** The maximum difference between the time of a message and that of this peer. */
    static final Duration MAX_AGE = BroadcastTreeLimits.DEFAULTS.knownTime().dividedBy(2);

    private final Identity identity;
    private final GroupId group;
    private final int maxMessageBytes;
    private final Scheduler scheduler;

    GroupcastSigner(Identity identity, GroupId group, int maxMessageBytes, Scheduler scheduler) {
        this.identity = identity;
        this.group = group;
        this.maxMessageBytes = maxMessageBytes;
        this.scheduler = scheduler;
    }

    /** @throws io.parley.error.InvalidCallException {@link ErrorCode#MESSAGE_TOO_LARGE} */
    SignedGroupMessage sign(ServiceAddress service, Message message) {
        return SignedGroupMessage.sign(
                identity,
                List.of(),
                scheduler.random().nextLong(),
                scheduler.clock().millis(),
                group,
                service,
                message,
                maxMessageBytes);
    }

    /**
     * Checks a message of another member; its signature last, because that takes most time.
     *
     * @throws io.parley.error.ParleyException {@link ErrorCode#MALFORMED_MESSAGE} if it is of another group or too old;
     *     {@link ErrorCode#SIGNATURE_REFUSED}
     */
    void check(SignedGroupMessage message) {
        if (!message.group().equals(group)) {
            throw ErrorCode.MALFORMED_MESSAGE.exception(
                    "group message: of group " + message.group() + " (expected: " + group + ")");
        }
        Duration age = Duration.ofMillis(scheduler.clock().millis() - message.timeMillis())
                .abs();
        if (age.compareTo(MAX_AGE) > 0) {
            throw ErrorCode.MALFORMED_MESSAGE.exception(
                    "group message: difference to this peer's time: " + age + " (expected: <= " + MAX_AGE + ")");
        }
        if (!message.isSigned()) {
            throw ErrorCode.SIGNATURE_REFUSED.exception("group message: signature is not that of peer "
                    + message.sender().peer());
        }
    }
}
