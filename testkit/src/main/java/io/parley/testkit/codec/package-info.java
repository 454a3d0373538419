/**
 * The contract suite of message codecs and its tools. Extend {@link io.parley.testkit.codec.MessageCodecContractTest}.
 * {@link io.parley.testkit.codec.MessageGenerator} and {@link io.parley.testkit.codec.ByteMutator} generate random messages
 * and corrupted bytes for further tests.
 */
@NullMarked
package io.parley.testkit.codec;

import org.jspecify.annotations.NullMarked;
