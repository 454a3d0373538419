/** The implementation of {@link io.parley.discovery}. Not API: the types are public for the packages of this module. */
@NullMarked
package io.parley.discovery.internal;

import org.jspecify.annotations.NullMarked;
