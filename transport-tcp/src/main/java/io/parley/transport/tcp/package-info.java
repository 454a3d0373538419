/**
 * Peers over TCP: TLS 1.3 on both sides with peer certificates, on Netty's epoll where it is there, else on NIO. Putting
 * the jar on the class path is all; {@link io.parley.transport.tcp.TcpTransportProvider} is for those who pass it in by
 * hand. All of a connection happens on its event loop.
 */
@NullMarked
package io.parley.transport.tcp;

import org.jspecify.annotations.NullMarked;
