/**
 * The exceptions of Parley, classified by what the caller can do: {@link io.parley.error.RetryableException retry},
 * {@link io.parley.error.InvalidCallException change the call}, or {@link io.parley.error.PeerFaultException stop
 * communicating with the peer}. An {@link io.parley.error.ApplicationException} is a call that the remote application has refused. Start with {@link io.parley.error.ErrorCode}, whose numbers are also used on the wire;
 * {@code docs/errors.md} lists all codes. Invalid arguments are reported by {@link IllegalArgumentException}.
 */
@NullMarked
package io.parley.error;

import org.jspecify.annotations.NullMarked;
