/**
 * Peers on one network without infrastructure, by UDP multicast. Putting the jar on the class path is all; who wants
 * another channel or other limits passes in a {@link io.parley.transport.udp.UdpPropagationProvider} with
 * {@link io.parley.transport.udp.UdpSettings}. All of a peer's part happens on one thread of its own.
 */
@NullMarked
package io.parley.transport.udp;

import org.jspecify.annotations.NullMarked;
