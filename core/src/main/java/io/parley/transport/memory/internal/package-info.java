/** The implementation of {@link io.parley.transport.memory}. Not API: types are public for other packages of this module. */
@NullMarked
package io.parley.transport.memory.internal;

import org.jspecify.annotations.NullMarked;
