/**
 * Searches for advertisements and peers. {@link io.parley.examples.search.AdvertisementSearch} is the entry point of
 * {@code search} and {@code status}; {@link io.parley.examples.search.NameConnector} connects a pipe by name.
 */
@NullMarked
package io.parley.examples.search;

import org.jspecify.annotations.NullMarked;
