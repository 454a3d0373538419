/**
 * Links: connections after a successful handshake. A {@link io.parley.endpoint.internal.link.Link} reads and writes the frames of its channels,
 * which {@code LinkSender} and {@code LinkReceiver} keep, and checks that the remote peer is alive.
 */
@NullMarked
package io.parley.endpoint.internal.link;

import org.jspecify.annotations.NullMarked;
