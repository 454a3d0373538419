/** SOCKS5 (RFC 1928) to the services of peers. Read {@link io.parley.examples.socks.SocksConnector} first. */
@NullMarked
package io.parley.examples.socks;

import org.jspecify.annotations.NullMarked;
