/**
 * What all parts of one endpoint share, in an {@link io.parley.endpoint.internal.context.EndpointContext}: its limits, executors, transports and
 * services, and the tables that limit dials and connections.
 */
@NullMarked
package io.parley.endpoint.internal.context;

import org.jspecify.annotations.NullMarked;
