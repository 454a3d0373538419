/**
 * Byte streams under test: the contenders of the suites {@code netpipe} and {@code sockets}, and the exchanges that are measured on
 * them. Other processes than those of Parley and Netty load this package, which therefore needs none of their classes.
 */
@NullMarked
package io.parley.bench.stream;

import org.jspecify.annotations.NullMarked;
