/**
 * The endpoint's frames, byte for byte as {@code docs/wire-format.md} specifies them. Start with
 * {@link io.parley.endpoint.internal.frame.FrameType}; {@link io.parley.endpoint.internal.frame.FrameReader} and
 * {@link io.parley.endpoint.internal.frame.FrameWriter} are its two directions. Nothing here keeps state, so all of it may be used
 * from any thread. Not API: for the endpoint alone.
 */
@NullMarked
package io.parley.endpoint.internal.frame;

import org.jspecify.annotations.NullMarked;
