/**
 * The TCP transport: TLS 1.3 with peer certificates on both sides, on Netty's epoll if it is available, else on NIO. The
 * transport is used if the jar is on the class path; {@link io.parley.transport.tcp.TcpTransportProvider} can also be passed
 * to the builder of a peer. A connection is served by one event loop. The transports of one JVM share their event loops.
 */
@NullMarked
package io.parley.transport.tcp;

import org.jspecify.annotations.NullMarked;
