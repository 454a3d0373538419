/**
 * The message codec for Fast Infoset (ITU-T X.891 | ISO/IEC 24824-1): the infoset of the XML text codec in a binary
 * form, with a vocabulary that persists between messages. Start with
 * {@link io.parley.codec.xml.fastinfoset.FastInfosetMessageCodec}; {@code docs/wire-format.md} specifies each octet.
 */
@NullMarked
package io.parley.codec.xml.fastinfoset;

import org.jspecify.annotations.NullMarked;
