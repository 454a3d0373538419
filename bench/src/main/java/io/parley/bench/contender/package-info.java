/**
 * The interfaces of a stack under test. Start with {@link io.parley.bench.contender.Contender}.
 *
 * <p>A contender runs in two processes of its own: one serves, one connects. The suites drive the connecting side, one
 * measurement at a time, from one thread.
 */
@NullMarked
package io.parley.bench.contender;

import org.jspecify.annotations.NullMarked;
