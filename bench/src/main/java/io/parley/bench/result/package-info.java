/** What a run has found: plain values, which are also the shape of {@code results.json}. */
@NullMarked
package io.parley.bench.result;

import org.jspecify.annotations.NullMarked;
