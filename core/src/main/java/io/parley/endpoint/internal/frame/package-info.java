/**
 * The frames of an endpoint, byte for byte as specified in {@code docs/wire-format.md}. Start with
 * {@link io.parley.endpoint.internal.frame.FrameType}. {@link io.parley.endpoint.internal.frame.FrameReader} decodes
 * frames, and {@link io.parley.endpoint.internal.frame.FrameWriter} encodes them. Thread-safe, because no class in this
 * package has state. Not API: only the endpoint uses this package.
 */
@NullMarked
package io.parley.endpoint.internal.frame;

import org.jspecify.annotations.NullMarked;
