/**
 * Benchmarks that compare Parley with other stacks. {@link io.parley.bench.BenchMain} is the command; a stack under
 * test implements {@link io.parley.bench.contender.Contender}.
 */
@NullMarked
package io.parley.bench;

import org.jspecify.annotations.NullMarked;
