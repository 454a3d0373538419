/**
 * What others have published, looked for and shown. Read {@link io.parley.examples.search.AdvertisementSearch} first.
 */
@NullMarked
package io.parley.examples.search;

import org.jspecify.annotations.NullMarked;
