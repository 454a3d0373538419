/**
 * The message codec for XML text. Start with {@link io.parley.codec.xml.XmlMessageCodec}; {@code docs/wire-format.md}
 * specifies the format.
 */
@NullMarked
package io.parley.codec.xml;

import org.jspecify.annotations.NullMarked;
