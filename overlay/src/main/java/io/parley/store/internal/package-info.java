/** The implementation of {@link io.parley.store}. Not API: the types are public for the packages of this module. */
@NullMarked
package io.parley.store.internal;

import org.jspecify.annotations.NullMarked;
