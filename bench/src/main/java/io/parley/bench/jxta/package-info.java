/**
 * The real JXTA 2.5 (JXSE), which is what Parley succeeds. Its classes are seen only in processes that were started
 * with its jars in front; only the two {@code Contender} classes are loaded elsewhere.
 */
@NullMarked
package io.parley.bench.jxta;

import org.jspecify.annotations.NullMarked;
