/**
 * Messages as XML text ({@link io.parley.codec.xml.form} has what all XML formats share). {@code docs/wire-format.md}
 * has the rules.
 */
@NullMarked
package io.parley.codec.xml;

import org.jspecify.annotations.NullMarked;
