/** The implementation of {@link io.parley.encoding}. Not API: the types are public for the packages of this module. */
@NullMarked
package io.parley.encoding.internal;

import org.jspecify.annotations.NullMarked;
