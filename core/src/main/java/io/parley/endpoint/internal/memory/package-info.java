/**
 * The memory of an endpoint: a {@link io.parley.endpoint.internal.memory.BudgetTree} of process, host, peer, connection and channel, whose
 * nodes are {@link io.parley.endpoint.internal.memory.MemoryBudget}s. Depends on no other package of the endpoint.
 */
@NullMarked
package io.parley.endpoint.internal.memory;

import org.jspecify.annotations.NullMarked;
