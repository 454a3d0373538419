/**
 * Unicast pipes: one-way message channels to an input end that is known by its name in a group, by which its holder is
 * found, or by its {@link io.parley.id.PipeId}. Read {@link io.parley.pipes.Pipes} first. Everything may be called from any
 * thread; listeners of one pipe see one message at a time, in the order in which each sender sent, unless they run on the
 * connections' own threads, where messages of different senders may come at the same time.
 */
@NullMarked
package io.parley.pipes;

import org.jspecify.annotations.NullMarked;
