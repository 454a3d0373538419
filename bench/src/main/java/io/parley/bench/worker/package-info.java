/**
 * The processes of a measurement. {@link io.parley.bench.worker.ProcessPair} is the runner's handle on two of them.
 * Each of the two runs {@code WorkerMain}, which executes one-line commands from its standard input.
 */
@NullMarked
package io.parley.bench.worker;

import org.jspecify.annotations.NullMarked;
