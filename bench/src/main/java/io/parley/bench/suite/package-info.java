/** The suites. First type to read: {@link io.parley.bench.suite.Suite}. */
@NullMarked
package io.parley.bench.suite;

import org.jspecify.annotations.NullMarked;
