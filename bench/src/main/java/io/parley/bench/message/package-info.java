/**
 * The messages that codecs are measured with. First type to read: {@link io.parley.bench.message.Workload}.
 */
@NullMarked
package io.parley.bench.message;

import org.jspecify.annotations.NullMarked;
