/**
 * The {@code parley} command. {@link io.parley.examples.Parley} is its main class; each subcommand is a class here that
 * reads its options and leaves the work to one of the packages below.
 */
@NullMarked
package io.parley.examples;

import org.jspecify.annotations.NullMarked;
