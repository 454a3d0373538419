/**
 * Encoding schemes that compress, over the employee files: {@link io.parley.bench.compression.CompressionScheme} lists them. The processes
 * measure their processor time and the transit of messages.
 */
@NullMarked
package io.parley.bench.compression;

import org.jspecify.annotations.NullMarked;
