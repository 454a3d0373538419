/**
 * The test kit of all modules and of third parties: contract tests, manual time, leak check, fixtures.
 * {@link io.parley.testkit.LeakCheck} checks all tests automatically if this artifact is on the class path. For tests in
 * manual time start with {@link io.parley.testkit.ManualScheduler}.
 */
@NullMarked
package io.parley.testkit;

import org.jspecify.annotations.NullMarked;
