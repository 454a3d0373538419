/**
 * The messages that codecs are measured with. First type to read: {@link io.parley.bench.workload.Workload}.
 */
@NullMarked
package io.parley.bench.workload;

import org.jspecify.annotations.NullMarked;
