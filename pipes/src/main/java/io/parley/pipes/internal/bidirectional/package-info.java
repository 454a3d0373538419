/**
 * The ends of a bidirectional pipe, and the protocol by which they connect. Start with
 * {@link io.parley.pipes.internal.bidirectional.MessengerBidirectionalPipe}. Not API: the types are public for the packages of this module.
 */
@NullMarked
package io.parley.pipes.internal.bidirectional;

import org.jspecify.annotations.NullMarked;
