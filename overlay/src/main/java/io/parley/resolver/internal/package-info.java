/** The implementation of {@link io.parley.resolver}. Not API: the types are public for the packages of this module. */
@NullMarked
package io.parley.resolver.internal;

import org.jspecify.annotations.NullMarked;
