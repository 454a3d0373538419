/** Makes the text of exceptions safe for logs and terminals. */
@NullMarked
package io.parley.error.internal;

import org.jspecify.annotations.NullMarked;
