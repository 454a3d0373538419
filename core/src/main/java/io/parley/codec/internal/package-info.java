/** The implementation of {@link io.parley.codec}. Not API: the types are public for the packages of this module. */
@NullMarked
package io.parley.codec.internal;

import org.jspecify.annotations.NullMarked;
