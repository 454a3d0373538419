/** Classes that all Parley modules share. Not API: other code must not use this package. */
@NullMarked
package io.parley.common.internal;

import org.jspecify.annotations.NullMarked;
