/**
 * What a stack under test must be able to do. First type to read: {@link io.parley.bench.contender.Contender}.
 *
 * <p>A contender runs in two processes of its own, one that serves and one that connects; the suites drive the
 * connecting side, one measurement at a time, from one thread.
 */
@NullMarked
package io.parley.bench.contender;

import org.jspecify.annotations.NullMarked;
