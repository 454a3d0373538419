/**
 * Messages and their elements. A {@link io.parley.message.Message} is an ordered list of
 * {@linkplain io.parley.message.MessageElement elements}, each with a namespace, a name, a MIME type and bytes. Model
 * and terms are those of JXTA. Start with {@link io.parley.message.Message}.
 *
 * <p>All types are immutable and thread-safe, provided that arrays and buffers that were passed without a copy are not
 * modified.
 */
@NullMarked
package io.parley.message;

import org.jspecify.annotations.NullMarked;
