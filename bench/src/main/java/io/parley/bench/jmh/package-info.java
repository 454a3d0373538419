/** JMH microbenchmarks. Run them with {@code java -jar benchmarks.jar} or with the {@code jmh} suite. */
@NullMarked
package io.parley.bench.jmh;

import org.jspecify.annotations.NullMarked;
