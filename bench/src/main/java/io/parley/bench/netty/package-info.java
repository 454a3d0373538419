/** Tuned raw Netty: the performance that a stack on Netty would have if it added framing only. */
@NullMarked
package io.parley.bench.netty;

import org.jspecify.annotations.NullMarked;
