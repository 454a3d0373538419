/**
 * The limits and patterns of the store of advertisements: a cache of opaque documents with searchable attributes, each until it
 * expires. It is in a file or, for tests and small peers, in memory. Lost entries are published again by their publishers, so a
 * corrupt file is moved aside and never repaired.
 */
@NullMarked
package io.parley.store;

import org.jspecify.annotations.NullMarked;
