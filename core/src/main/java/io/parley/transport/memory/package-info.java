/**
 * The transport inside one JVM, for tests and simulations: addresses {@code mem://name} on an
 * {@link io.parley.transport.memory.InMemoryNetwork}, which is also the local network for propagation. Both transports pass
 * the contract tests of all transports.
 */
@NullMarked
package io.parley.transport.memory;

import org.jspecify.annotations.NullMarked;
