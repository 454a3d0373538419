/**
 * The transport SPI. A {@link io.parley.transport.Transport} carries frames between two peers; a
 * {@link io.parley.transport.PropagationTransport} sends datagrams to all peers on the local network. Implementations are
 * found by {@link java.util.ServiceLoader} or passed to the builder of a peer. Start with
 * {@link io.parley.transport.TransportProvider}.
 */
@NullMarked
package io.parley.transport;

import org.jspecify.annotations.NullMarked;
