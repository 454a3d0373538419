/**
 * XML documents, and the parsers and writers that are compared with them. First type to read: {@link
 * io.parley.bench.document.DocumentParser}.
 */
@NullMarked
package io.parley.bench.document;

import org.jspecify.annotations.NullMarked;
