/**
 * A chat room without a host: who is in it has opened a pipe that bears the room's name, finds the others by that name,
 * and talks to each of them directly. Read {@link io.parley.examples.lobby.Lobby} first.
 */
@NullMarked
package io.parley.examples.lobby;

import org.jspecify.annotations.NullMarked;
