/** Plain blocking {@code java.net} sockets: the floor that every stack on the JVM stands on. */
@NullMarked
package io.parley.bench.sockets;

import org.jspecify.annotations.NullMarked;
