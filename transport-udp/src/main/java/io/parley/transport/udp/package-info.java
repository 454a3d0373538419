/**
 * Peers on one network without infrastructure, by UDP multicast. Nothing is here yet: the module keeps its place until
 * the transport is written.
 */
@NullMarked
package io.parley.transport.udp;

import org.jspecify.annotations.NullMarked;
