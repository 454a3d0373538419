/**
 * Messages as Fast Infoset (ITU-T X.891 | ISO/IEC 24824-1): the infoset of the XML text codec in its binary form, with
 * a vocabulary that lasts from message to message. Start with {@link
 * io.parley.codec.xml.fastinfoset.FastInfosetMessageCodec}; {@code docs/wire-format.md} has every octet.
 */
@NullMarked
package io.parley.codec.xml.fastinfoset;

import org.jspecify.annotations.NullMarked;
