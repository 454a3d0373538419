/**
 * Sockets between peers, which existing software uses unchanged: {@link java.net.Socket}, {@link java.net.ServerSocket}, their factories,
 * and byte channels. A stream is addressed by the name of a service, and by the id of a peer if that matters; it survives a lost
 * connection or a changed path. Start with {@link io.parley.sockets.PeerSockets}.
 *
 * <p>All types are thread-safe. Methods block as those of {@link java.net.Socket} do, on platform and virtual threads, and must not be
 * called on an event loop.
 */
@NullMarked
package io.parley.sockets;

import org.jspecify.annotations.NullMarked;
