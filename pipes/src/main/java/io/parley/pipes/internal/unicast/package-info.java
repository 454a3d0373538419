/**
 * The two ends of a unicast pipe: input pipes with a queue, a listener or the handler of a service, and output pipes. Start with
 * {@link io.parley.pipes.internal.unicast.InputPipeFactory} and {@link io.parley.pipes.internal.unicast.PipeConnector}. Not API: the types
 * are public for the packages of this module.
 */
@NullMarked
package io.parley.pipes.internal.unicast;

import org.jspecify.annotations.NullMarked;
