/** The results of a run: plain records, which also define the structure of {@code results.json}. */
@NullMarked
package io.parley.bench.result;

import org.jspecify.annotations.NullMarked;
