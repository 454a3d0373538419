/**
 * The receiving half of channels. An {@link io.parley.endpoint.internal.inbound.InboundChannel} of one link assembles and decodes messages and
 * delivers them to a service; its {@link io.parley.endpoint.internal.inbound.InboundSequence} outlives the link, and drops what was
 * delivered before. The window of a channel grows and shrinks with what its sender needs. Knows links only as
 * {@link io.parley.endpoint.internal.inbound.InboundChannel.Carrier}.
 */
@NullMarked
package io.parley.endpoint.internal.inbound;

import org.jspecify.annotations.NullMarked;
