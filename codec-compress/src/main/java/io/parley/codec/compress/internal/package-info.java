/** The formats of the encoding schemes: gzip, and two for XML. */
@NullMarked
package io.parley.codec.compress.internal;

import org.jspecify.annotations.NullMarked;
