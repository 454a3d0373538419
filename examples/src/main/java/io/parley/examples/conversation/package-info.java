/**
 * Conversations: both directions between two peers, as {@code connect}, {@code chat} and {@code receive} need them, on top
 * of one-way pipes. {@link io.parley.examples.conversation.Conversation} is the entry point.
 */
@NullMarked
package io.parley.examples.conversation;

import org.jspecify.annotations.NullMarked;
