/** Performance targets, and the check that detects a missed target. */
@NullMarked
package io.parley.bench.check;

import org.jspecify.annotations.NullMarked;
