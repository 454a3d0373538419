/** Connections between TCP ports and services of peers. Read {@link io.parley.examples.forward.ConnectionForwarder} first. */
@NullMarked
package io.parley.examples.forward;

import org.jspecify.annotations.NullMarked;
