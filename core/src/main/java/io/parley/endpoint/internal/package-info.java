/**
 * What makes the endpoint work. A {@link io.parley.endpoint.internal.PeerEndpoint} keeps one {@code Association} per remote
 * peer; an association dials, decides which of two crossing connections lives, and has at most one live {@code Link}; a
 * link is one connection after both sides have agreed, and moves the messages of {@code PeerMessenger}s out and those of
 * {@code InboundChannel}s in. Not API: for the peer alone.
 *
 * <p>Threading: a link and its channels belong to their connection's executor. Associations and messengers are used from
 * any thread and have a lock each; no lock is held while another object's is taken, except an association's while it asks
 * its link, which takes none.
 */
@NullMarked
package io.parley.endpoint.internal;

import org.jspecify.annotations.NullMarked;
