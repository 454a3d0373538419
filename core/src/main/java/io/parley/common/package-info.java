/**
 * The contracts that all layers share: {@link io.parley.common.AsyncCloseable}, the lifecycle of everything that holds a
 * resource, and {@link io.parley.common.Scheduler}, the source of time.
 *
 * <p>One rule for blocking applies to the whole API:
 *
 * <ul>
 *   <li>A method that returns a {@link java.util.concurrent.CompletableFuture} does not block. The future carries the
 *       result and the failure.
 *   <li>A method that blocks has a {@link java.time.Duration} parameter named {@code timeout}. It returns its result, not a
 *       future. It throws a {@link io.parley.error.ParleyException} if the operation fails, and
 *       {@link java.lang.InterruptedException} if the thread is interrupted before or while it waits, as the methods of
 *       {@code java.util.concurrent} do. It must not be called on an event loop.
 *   <li>{@link io.parley.common.AsyncCloseable#close()} waits without a parameter, but not longer than the close timeout of
 *       the limits. An interrupt does not end that wait; the interrupt status of the thread is kept. The {@code start()}
 *       methods of builders wait until the object is ready for use.
 * </ul>
 */
@NullMarked
package io.parley.common;

import org.jspecify.annotations.NullMarked;
