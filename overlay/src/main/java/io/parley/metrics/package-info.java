/**
 * The counters of a peer as meters of Micrometer. Requires {@code io.micrometer:micrometer-core} on the class path; without it
 * use {@link io.parley.Peer#metrics()}.
 */
@NullMarked
package io.parley.metrics;

import org.jspecify.annotations.NullMarked;
