/**
 * Rendezvous: peers that keep an index of what others publish and pass on what is said to a group. Read
 * {@link io.parley.rendezvous.RendezvousService} first.
 */
@NullMarked
package io.parley.rendezvous;

import org.jspecify.annotations.NullMarked;
