/** Raw Netty, tuned: what a stack on Netty could reach if it did nothing but frame. */
@NullMarked
package io.parley.bench.netty;

import org.jspecify.annotations.NullMarked;
