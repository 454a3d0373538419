/** The implementation of {@link io.parley.rendezvous}. Not API: the types are public for the packages of this module. */
@NullMarked
package io.parley.rendezvous.internal;

import org.jspecify.annotations.NullMarked;
