/** Plain sockets of the JDK, with readers that sleep or spin: the lower bound for every stack on the JVM. */
@NullMarked
package io.parley.bench.sockets;

import org.jspecify.annotations.NullMarked;
