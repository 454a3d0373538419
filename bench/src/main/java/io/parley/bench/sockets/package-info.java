/** Plain blocking {@code java.net} sockets: the lower bound for every stack on the JVM. */
@NullMarked
package io.parley.bench.sockets;

import org.jspecify.annotations.NullMarked;
