/**
 * A chat room without a host. Each participant opens an input pipe with the name of the room, finds the others by that
 * name, and sends lines to each of them directly. {@link io.parley.examples.lobby.Lobby} is the entry point.
 */
@NullMarked
package io.parley.examples.lobby;

import org.jspecify.annotations.NullMarked;
