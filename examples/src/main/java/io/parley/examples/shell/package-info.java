/**
 * A prompt at which a peer does what it is told: find, join, publish and talk. Read
 * {@link io.parley.examples.shell.Shell} first.
 */
@NullMarked
package io.parley.examples.shell;

import org.jspecify.annotations.NullMarked;
