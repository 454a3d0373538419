/** The implementation of {@link io.parley.transport.memory}. Not API: the types are public for the packages of this module. */
@NullMarked
package io.parley.transport.memory.internal;

import org.jspecify.annotations.NullMarked;
