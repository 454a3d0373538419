/**
 * TLS between two peers inside of the frames of a link, for channels that need more protection than the link has.
 */
@NullMarked
package io.parley.endpoint.internal.tunnel;

import org.jspecify.annotations.NullMarked;
