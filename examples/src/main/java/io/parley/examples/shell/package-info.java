/**
 * An interactive shell that controls a peer: search, join, publish and talk. {@link io.parley.examples.shell.Shell} is the
 * entry point.
 */
@NullMarked
package io.parley.examples.shell;

import org.jspecify.annotations.NullMarked;
