/** {@code report.html}: one file, no scripts, nothing loaded from elsewhere. */
@NullMarked
package io.parley.bench.report;

import org.jspecify.annotations.NullMarked;
