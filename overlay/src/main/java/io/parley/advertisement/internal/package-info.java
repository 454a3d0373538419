/** The implementation of {@link io.parley.advertisement}. Not API: the types are public for the packages of this module. */
@NullMarked
package io.parley.advertisement.internal;

import org.jspecify.annotations.NullMarked;
