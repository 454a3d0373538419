/**
 * The transport inside one JVM, for tests, simulations and users' own tests: addresses {@code mem://name} on an
 * {@link io.parley.transport.memory.InMemoryNetwork}, which is also the local network on which they propagate. Both pass
 * the same contracts as the others.
 */
@NullMarked
package io.parley.transport.memory;

import org.jspecify.annotations.NullMarked;
