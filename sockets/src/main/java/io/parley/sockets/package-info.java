/** Reliable streams over pipes. Nothing is here yet: the module keeps its place until the sockets are written. */
@NullMarked
package io.parley.sockets;

import org.jspecify.annotations.NullMarked;
