/**
 * The parts of an endpoint that all others share. An {@link io.parley.endpoint.internal.context.EndpointContext} has the limits, executors,
 * transports and services of the endpoint, and the tables that limit dials and connections.
 */
@NullMarked
package io.parley.endpoint.internal.context;

import org.jspecify.annotations.NullMarked;
