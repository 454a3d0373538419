/** The contract suite of encoding schemes. Extend {@link io.parley.testkit.encoding.EncodingSchemeContractTest}. */
@NullMarked
package io.parley.testkit.encoding;

import org.jspecify.annotations.NullMarked;
