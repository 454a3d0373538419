/**
 * A hosted chat room: guests join with a ticket, and the host forwards each line to all of them.
 * {@link io.parley.examples.chat.ChatRoom} is the entry point.
 */
@NullMarked
package io.parley.examples.chat;

import org.jspecify.annotations.NullMarked;
