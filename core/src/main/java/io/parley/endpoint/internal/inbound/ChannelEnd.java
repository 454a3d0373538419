package io.parley.endpoint.internal.inbound;

/** Why an inbound channel is closed on its link. */
public enum ChannelEnd {

    /** The sender has ended it. */
    ENDED,

    /** This peer has refused its messages. */
    LOST,

    /** Its link has ended, or another link continues it. */
    INTERRUPTED
}
