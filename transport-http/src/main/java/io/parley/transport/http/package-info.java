/** The HTTP transport, for peers behind firewalls. Not implemented yet; the module reserves its place. */
@NullMarked
package io.parley.transport.http;

import org.jspecify.annotations.NullMarked;
