/**
 * Propagation on the local network without infrastructure, by UDP multicast. The transport is used if the jar is on the
 * class path. To use another channel or other limits, pass a {@link io.parley.transport.udp.UdpPropagationProvider} with
 * {@link io.parley.transport.udp.UdpSettings} to the builder of a peer. Peers of one JVM on the same channel share their
 * sockets and the thread that serves them.
 */
@NullMarked
package io.parley.transport.udp;

import org.jspecify.annotations.NullMarked;
