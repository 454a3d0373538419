/** Copies the standard input of one process to the standard output of another one, in both directions. */
@NullMarked
package io.parley.examples.netcat;

import org.jspecify.annotations.NullMarked;
