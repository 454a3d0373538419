/** The generator of {@code report.html}: one file without scripts that loads no other resources. */
@NullMarked
package io.parley.bench.report;

import org.jspecify.annotations.NullMarked;
