/**
 * Peer groups: the scope of advertisements, queries and group messages. Start with {@link io.parley.group.PeerGroup}.
 */
@NullMarked
package io.parley.group;

import org.jspecify.annotations.NullMarked;
