/**
 * Peers that talk: addresses, the {@link io.parley.transport.Transport} SPI with its connections, and the
 * {@link io.parley.endpoint.Endpoint}, which sends messages to named services of other peers over one shared,
 * authenticated connection per peer. Read {@link io.parley.endpoint.Endpoint} first. Beside it stands the
 * {@link io.parley.transport.PropagationTransport}, by which peers find each other without knowing any.
 *
 * <p>Threading: what is called by users may be called from any thread. Callbacks of the SPI and endpoint listeners run on
 * the connection's executor and must not block.
 */
@NullMarked
package io.parley.endpoint;

import org.jspecify.annotations.NullMarked;
