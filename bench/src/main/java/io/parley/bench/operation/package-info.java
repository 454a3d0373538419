/**
 * The timed operations of a peer from its start to its shutdown. {@link io.parley.bench.operation.Operation} lists
 * them, and a {@link io.parley.bench.operation.PeerStack} creates the peers that perform them.
 */
@NullMarked
package io.parley.bench.operation;

import org.jspecify.annotations.NullMarked;
