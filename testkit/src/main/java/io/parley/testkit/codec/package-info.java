/** The contract of message codecs. Extend {@link io.parley.testkit.codec.MessageCodecContractTest}. */
@NullMarked
package io.parley.testkit.codec;

import org.jspecify.annotations.NullMarked;
