/** The contracts of transports, and transports that inject faults. Extend
 * {@link io.parley.testkit.transport.TransportContractTest} or {@link io.parley.testkit.transport.PropagationContractTest}. */
@NullMarked
package io.parley.testkit.transport;

import org.jspecify.annotations.NullMarked;
