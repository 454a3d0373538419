/**
 * Rendezvous: peers that grant leases to clients, keep an index of their advertisements and forward group messages. Start with
 * {@link io.parley.rendezvous.RendezvousService}.
 */
@NullMarked
package io.parley.rendezvous;

import org.jspecify.annotations.NullMarked;
