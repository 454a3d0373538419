/** What all metrics are made of. */
@NullMarked
package io.parley.metrics;

import org.jspecify.annotations.NullMarked;
