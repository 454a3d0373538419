package io.parley.resolver.internal;

import io.parley.id.PeerId;
import io.parley.message.Message;

/**
 * One peer's answer to a propagated question.
 *
 * @param from who has answered, as proven by the connection
 * @param body the answer
 */
public record QueryResponse(PeerId from, Message body) {}
