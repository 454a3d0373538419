/**
 * Bidirectional pipes for {@code connect}, {@code chat} and {@code receive}: with a topic, and with one thread for each guest.
 * {@link io.parley.examples.conversation.Conversation} is the entry point.
 */
@NullMarked
package io.parley.examples.conversation;

import org.jspecify.annotations.NullMarked;
