/**
 * Message codecs as they are measured. First type to read: {@link io.parley.bench.codec.Conversation}.
 */
@NullMarked
package io.parley.bench.codec;

import org.jspecify.annotations.NullMarked;
