/**
 * What every command shares towards the person at the terminal: output, JSON, progress and errors told in one sentence.
 * Everything may be called from any thread.
 */
@NullMarked
package io.parley.examples.console;

import org.jspecify.annotations.NullMarked;
