/** The implementation of {@link io.parley.group}. Not API: the types are public for the packages of this module. */
@NullMarked
package io.parley.group.internal;

import org.jspecify.annotations.NullMarked;
