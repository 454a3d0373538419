/**
 * What a peer does from its start to its end, so that it can be timed: {@link io.parley.bench.operation.Operation} names it,
 * a {@link io.parley.bench.operation.PeerStack} does it.
 */
@NullMarked
package io.parley.bench.operation;

import org.jspecify.annotations.NullMarked;
