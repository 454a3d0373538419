/**
 * The cache of advertisements: opaque documents with attributes to search for, each until it expires. Start with
 * {@link io.parley.store.internal.AdvertisementStore}, which comes as a file and, for tests and small peers, in
 * memory. What a document means is nobody's business here.
 *
 * <p>All of it is a cache: what is lost is published again, so a damaged file is set aside and never repaired.
 */
@NullMarked
package io.parley.store;

import org.jspecify.annotations.NullMarked;
