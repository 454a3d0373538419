/**
 * The demonstration, whose peers are {@code parley} processes on this machine. {@link io.parley.examples.demo.Demo} is the
 * entry point; it uses one thread.
 */
@NullMarked
package io.parley.examples.demo;

import org.jspecify.annotations.NullMarked;
