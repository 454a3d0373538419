/**
 * The common part of all kinds of pipes of {@link io.parley.pipes}: their options, the search for the holders of a pipe, and the queue of
 * received messages. Start with {@link io.parley.pipes.internal.PipeOptions} and {@link io.parley.pipes.internal.PipeResolver}. Depends on none of
 * the packages below. Not API: the types are public for the packages of this module.
 */
@NullMarked
package io.parley.pipes.internal;

import org.jspecify.annotations.NullMarked;
