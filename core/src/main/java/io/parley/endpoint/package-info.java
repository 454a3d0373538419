/**
 * The endpoint layer: an {@link io.parley.endpoint.Endpoint} sends messages to named services of other peers over one
 * shared, authenticated connection per peer. Read {@link io.parley.endpoint.Endpoint} first. Connections come from the
 * transports in {@link io.parley.transport}.
 *
 * <p>All methods are thread-safe unless noted otherwise. Listeners are called on the event loop of the connection and must
 * not block.
 */
@NullMarked
package io.parley.endpoint;

import org.jspecify.annotations.NullMarked;
