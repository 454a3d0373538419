/**
 * The message codecs that are measured. First type to read: {@link io.parley.bench.codec.MessageSequence}.
 */
@NullMarked
package io.parley.bench.codec;

import org.jspecify.annotations.NullMarked;
