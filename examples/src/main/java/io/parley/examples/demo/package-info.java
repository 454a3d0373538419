/**
 * The demonstration: real processes of the {@code parley} command that talk to each other on this machine. Read
 * {@link io.parley.examples.demo.Demo} first; it runs on one thread.
 */
@NullMarked
package io.parley.examples.demo;

import org.jspecify.annotations.NullMarked;
