/** The implementation of {@link io.parley.identity}. Not API: the types are public for the packages of this module. */
@NullMarked
package io.parley.identity.internal;

import org.jspecify.annotations.NullMarked;
