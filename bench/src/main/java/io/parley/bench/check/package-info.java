/** What figures have to be, so that somebody notices when they no longer are. */
@NullMarked
package io.parley.bench.check;

import org.jspecify.annotations.NullMarked;
