package io.parley.resolver.internal;

import io.parley.id.PeerId;
import io.parley.message.Message;

/**
 * The response of one peer to a propagated query.
 *
 * @param from the responding peer, authenticated by the connection
 * @param body the response
 */
public record QueryResponse(PeerId from, Message body) {}
