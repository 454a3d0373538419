/**
 * Two peers that talk in both directions: what {@code connect}, {@code chat} and {@code receive} need on top of one-way
 * pipes. Read {@link io.parley.examples.conversation.Conversation} first. A conversation is read by one thread and
 * written to by any.
 */
@NullMarked
package io.parley.examples.conversation;

import org.jspecify.annotations.NullMarked;
