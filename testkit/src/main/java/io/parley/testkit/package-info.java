/**
 * What the tests of every module share. {@link io.parley.testkit.LeakCheck} watches all of them, without being asked, once
 * core's test-jar is on the class path.
 */
@NullMarked
package io.parley.testkit;

import org.jspecify.annotations.NullMarked;
