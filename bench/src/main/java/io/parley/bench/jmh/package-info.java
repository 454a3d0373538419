/** JMH microbenchmarks; run by {@code java -jar benchmarks.jar} like any, or by the {@code jmh} suite. */
@NullMarked
package io.parley.bench.jmh;

import org.jspecify.annotations.NullMarked;
