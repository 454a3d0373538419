/**
 * The contracts that all layers share: {@link io.parley.common.AsyncCloseable}, the lifecycle of everything that holds a
 * resource, and {@link io.parley.common.Scheduler}, the source of time.
 */
@NullMarked
package io.parley.common;

import org.jspecify.annotations.NullMarked;
