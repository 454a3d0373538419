/** Bytes from one process's standard input to another's standard output and back, by peer. */
@NullMarked
package io.parley.examples.netcat;

import org.jspecify.annotations.NullMarked;
