/**
 * TLS 1.3 between peers, for every transport on Netty: both sides present a short-lived certificate that the identity of the
 * peer has signed. Start with {@link io.parley.transport.tls.TlsHandlerFactory}.
 */
@NullMarked
package io.parley.transport.tls;

import org.jspecify.annotations.NullMarked;
