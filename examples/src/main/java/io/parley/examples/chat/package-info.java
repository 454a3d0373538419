/**
 * A chat room: one peer hosts it, the others join with a ticket, and the host relays each line to all others. Read
 * {@link io.parley.examples.chat.ChatRoom} first.
 */
@NullMarked
package io.parley.examples.chat;

import org.jspecify.annotations.NullMarked;
