/**
 * Unicast pipes: one-way message channels to an input end that is known by its {@link io.parley.id.PipeId}. Read
 * {@link io.parley.pipes.Pipes} first. Everything may be called from any thread; listeners of one pipe see one message at
 * a time, in the order in which each sender sent.
 */
@NullMarked
package io.parley.pipes;

import org.jspecify.annotations.NullMarked;
