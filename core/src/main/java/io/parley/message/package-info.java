/**
 * What peers send each other: a {@link io.parley.message.Message} is an ordered list of
 * {@linkplain io.parley.message.MessageElement elements}, each with a namespace, a name, a MIME type and bytes. The
 * model is JXTA's, and so are the terms. Start with {@link io.parley.message.Message}.
 *
 * <p>Everything here is immutable and may be used from any thread, provided that nobody writes to an array that was
 * handed over without a copy.
 */
@NullMarked
package io.parley.message;

import org.jspecify.annotations.NullMarked;
