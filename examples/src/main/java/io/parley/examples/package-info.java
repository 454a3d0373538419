/**
 * The {@code parley} command. {@link io.parley.examples.Parley} is its main class. Each subcommand is a class in this
 * package that parses its options and delegates to one of the packages below.
 */
@NullMarked
package io.parley.examples;

import org.jspecify.annotations.NullMarked;
