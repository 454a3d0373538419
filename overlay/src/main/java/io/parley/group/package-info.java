/** Peer groups: the scope of everything that is published and said. Read {@link io.parley.group.PeerGroup} first. */
@NullMarked
package io.parley.group;

import org.jspecify.annotations.NullMarked;
