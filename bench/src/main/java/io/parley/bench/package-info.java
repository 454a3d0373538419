/**
 * Benchmarks against the peers we are measured by. {@link io.parley.bench.BenchMain} is the command; a stack under test
 * is a {@link io.parley.bench.contender.Contender}.
 */
@NullMarked
package io.parley.bench;

import org.jspecify.annotations.NullMarked;
