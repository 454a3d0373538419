/**
 * Discovery: peers publish advertisements in a group, and find what others have published, nearby or by an index that
 * rendezvous keep. Read {@link io.parley.discovery.Discovery} first.
 */
@NullMarked
package io.parley.discovery;

import org.jspecify.annotations.NullMarked;
