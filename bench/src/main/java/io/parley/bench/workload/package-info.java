/**
 * The messages for the measurements of codecs. First type to read: {@link io.parley.bench.workload.Workload}.
 */
@NullMarked
package io.parley.bench.workload;

import org.jspecify.annotations.NullMarked;
