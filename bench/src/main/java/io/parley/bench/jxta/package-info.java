/**
 * JXTA 2.5 (JXSE), the predecessor of Parley. Its classes are visible only in processes that were started with its jars
 * first on the class path. Other processes load only the two {@code Contender} classes and {@code JxtaStack}.
 */
@NullMarked
package io.parley.bench.jxta;

import org.jspecify.annotations.NullMarked;
