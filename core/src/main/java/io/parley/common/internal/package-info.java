/** Helpers of all Parley modules. Not API: other code must not use them. */
@NullMarked
package io.parley.common.internal;

import org.jspecify.annotations.NullMarked;
