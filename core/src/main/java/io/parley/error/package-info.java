/**
 * The one family of exceptions, sorted by what the caller can do: {@link io.parley.error.RetryableException try again},
 * {@link io.parley.error.InvalidCallException change the call}, {@link io.parley.error.PeerFaultException drop the peer}.
 * Start with {@link io.parley.error.ErrorCode}, whose numbers also stand on the wire. Beside it the checks of arguments, which
 * fail with Java's own {@link IllegalArgumentException}.
 */
@NullMarked
package io.parley.error;

import org.jspecify.annotations.NullMarked;
