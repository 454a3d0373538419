package io.parley.endpoint.internal.frame;

/** The protection of a channel. It is settled when the channel opens, and the channel resumes only with the same protection. */
public enum ChannelProtection {
    /** The channel is not a secure one. */
    NONE,
    /** The connection authenticates the remote peer, so the transport protects the channel. */
    LINK,
    /** The TLS session inside a link whose transport does not authenticate the remote peer. */
    TUNNEL
}
