/**
 * Relays: a relay joins two connections into a circuit, so that peers reach each other of which one
 * cannot be dialed, or none. The bytes in a circuit are those of the two peers, with their TLS. The peer that cannot be dialed listens at
 * a relay with {@link io.parley.transport.tcp.internal.relay.RelayedServer}; the relay is {@link io.parley.transport.tcp.internal.relay.Relay}. The formats are in
 * {@code docs/wire-format.md}, "Relays".
 */
@NullMarked
package io.parley.transport.tcp.internal.relay;

import org.jspecify.annotations.NullMarked;
