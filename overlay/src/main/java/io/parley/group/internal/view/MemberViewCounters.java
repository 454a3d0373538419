package io.parley.group.internal.view;

import io.parley.group.CounterProvider;

/** Declares the counters of the views of all groups of a peer. */
public final class MemberViewCounters implements CounterProvider {

    /** A counter. */
    public enum Counter {
        /** Members that have become neighbors, also again. */
        MEMBERS_NEIGHBORS_ADDED,
        /** Members that have ceased to be neighbors, because they have left or failed, or another one has taken their place. */
        MEMBERS_NEIGHBORS_REMOVED,
        /** Messages about views that were rejected: malformed, or with an entry that is forged or expired. */
        MEMBERS_MESSAGES_REJECTED,
        /** Messages about views that were dropped, because the rate of their host or of all hosts was exceeded. */
        MEMBERS_MESSAGES_THROTTLED,
        /** Messages of peers that are no neighbors and of which only neighbors may send such. */
        MEMBERS_MESSAGES_UNAUTHORIZED,
        /** Messages to all members that this peer has sent. */
        GROUPCASTS_SENT,
        /** Messages of other members to all that this peer has received, each once. */
        GROUPCASTS_RECEIVED,
        /** Messages of other members that were received before. */
        GROUPCASTS_DUPLICATE,
        /** Messages that were sent to an eager neighbor, also those of this peer, counted once per neighbor. */
        GROUPCASTS_FORWARDED,
        /** Messages that were sent to a neighbor which has requested them. */
        GROUPCASTS_GRAFTED,
        /** Messages that were announced, counted once per neighbor. */
        GROUPCASTS_ANNOUNCEMENTS_SENT,
        /** Announcements that were not sent, because the neighbor is not writable for too long, or not recorded, because it sends too many. */
        GROUPCASTS_ANNOUNCEMENTS_DROPPED,
        /** Messages that this peer has requested, counted once per request. */
        GROUPCASTS_GRAFTS_SENT,
        /** Requests that were refused, because this peer does not have the message any more or the neighbor exceeds its rate. */
        GROUPCASTS_GRAFTS_REFUSED,
        /** Links that this peer has made lazy. */
        GROUPCASTS_PRUNES_SENT,
        /** Messages of other members to all that were delivered to a service of this peer. */
        GROUPCASTS_DELIVERED,
        /** Messages of other members that were dropped, because too many waited for the listener. */
        GROUPCASTS_DROPPED,
        /** Messages of other members that were rejected: forged, malformed, too old or of another group. */
        GROUPCASTS_REJECTED,
        /** Messages of neighbors that were dropped, because the rate of their host or of all hosts was exceeded. */
        GROUPCASTS_THROTTLED,
        /** Exceptions thrown by listeners. */
        GROUPCASTS_LISTENER_FAILURES
    }

    /** Creates the provider. For {@link java.util.ServiceLoader}. */
    public MemberViewCounters() {}

    @Override
    public Class<Counter> counters() {
        return Counter.class;
    }
}
