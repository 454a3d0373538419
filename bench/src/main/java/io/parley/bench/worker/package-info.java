/**
 * The processes of a measurement. {@link io.parley.bench.worker.ProcessPair} is the runner's end of two of them;
 * {@code WorkerMain} is what runs inside, and obeys one-line commands on its standard input.
 */
@NullMarked
package io.parley.bench.worker;

import org.jspecify.annotations.NullMarked;
