/**
 * The task senders and workers of a work queue; a task is a request. Start with
 * {@link io.parley.pipes.internal.work.QueuedTaskSender} and {@link io.parley.pipes.internal.work.QueueWorker}. Not API: the types are public
 * for the packages of this module.
 */
@NullMarked
package io.parley.pipes.internal.work;

import org.jspecify.annotations.NullMarked;
