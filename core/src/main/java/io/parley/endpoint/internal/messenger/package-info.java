/**
 * The sending half of channels. A {@link io.parley.endpoint.internal.messenger.PeerMessenger} queues messages in an
 * {@code OutboundQueue}, keeps them in an {@code OutboundSequence} until they are acknowledged, and sends them by an
 * {@link io.parley.endpoint.internal.messenger.OutboundChannel} of the present link. Knows links only as
 * {@link io.parley.endpoint.internal.messenger.MessengerBinding.Carrier}.
 */
@NullMarked
package io.parley.endpoint.internal.messenger;

import org.jspecify.annotations.NullMarked;
