package io.parley.group;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * The limits of the {@linkplain MemberView views} of the groups of a peer.
 *
 * @param maxNeighbors       neighbors in one view. With five a group of 10,000 members mostly stays connected if half of them fail at the same
 *     time; see the paper that {@link MemberView} names
 * @param maxKnownMembers    other members that one view holds
 * @param roundInterval      average interval of the rounds in which a member exchanges known members with a neighbor
 * @param maxMessageBytes    size of a message to all members, encoded
 * @param messagesPerSecond  messages to all members that this peer accepts from one host; ten times as many of all hosts together
 */
public record MemberViewLimits(
        int maxNeighbors, int maxKnownMembers, Duration roundInterval, int maxMessageBytes, int messagesPerSecond) {

    /** The defaults: 5 neighbors, 30 other members, rounds every 10 s, messages of up to 256 KiB, 1,000 of one host in a second. */
    public static final MemberViewLimits DEFAULTS =
            new MemberViewLimits(5, 30, Duration.ofSeconds(10), 256 << 10, 1000);

    /** The maximum of {@link #maxMessageBytes}. */
    public static final int MOST_MESSAGE_BYTES = 1 << 20;

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public MemberViewLimits {
        Arguments.requireRange("maxNeighbors", maxNeighbors, 2, 100);
        Arguments.requireRange("maxKnownMembers", maxKnownMembers, 1, 10_000);
        Arguments.requireTimeout("roundInterval", roundInterval);
        Arguments.requireRange("maxMessageBytes", maxMessageBytes, 1, MOST_MESSAGE_BYTES);
        Arguments.requireRange("messagesPerSecond", messagesPerSecond, 1, 1_000_000);
    }
}
