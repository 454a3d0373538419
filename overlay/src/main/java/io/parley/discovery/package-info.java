/**
 * Discovery: peers publish advertisements in a group, and find those of other peers on the local network or through the index that
 * rendezvous keep. Start with {@link io.parley.discovery.Discovery}.
 */
@NullMarked
package io.parley.discovery;

import org.jspecify.annotations.NullMarked;
