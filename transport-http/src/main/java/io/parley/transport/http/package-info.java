/**
 * The HTTP transport: connections as WebSocket (RFC 6455), which pass proxies and firewalls that let only HTTP through. See
 * {@link io.parley.transport.http.HttpTransportProvider}.
 */
@NullMarked
package io.parley.transport.http;

import org.jspecify.annotations.NullMarked;
