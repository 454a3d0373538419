/**
 * The output of a command on a console: results, remarks, progress and failures.
 * {@link io.parley.examples.console.Console} is the entry point. Thread-safe unless a class states otherwise.
 */
@NullMarked
package io.parley.examples.console;

import org.jspecify.annotations.NullMarked;
