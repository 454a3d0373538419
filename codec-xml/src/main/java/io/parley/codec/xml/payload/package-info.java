/**
 * XML in message elements as a stream, as SAX events, as a DOM tree or as mapped objects, each in two
 * {@linkplain io.parley.codec.xml.payload.XmlForm forms}, text and Fast Infoset. Start with
 * {@link io.parley.codec.xml.payload.XmlStreams}; the other classes are built on it. A receiver need not know the form,
 * because the type of the element identifies it. The binary form is read without conversion to text.
 *
 * <p>Documents may come from untrusted peers. There are no document type declarations and therefore no entities, no
 * external resource is loaded, and {@link io.parley.codec.xml.payload.XmlLimits} bounds the memory and the time of a
 * document. The parser classes are fixed, so other parsers on the class path have no effect.
 *
 * <p>{@link io.parley.codec.xml.payload.FastInfosetEncodingScheme} is an encoding for elements of XML text: they are
 * sent as Fast Infoset and restored byte for byte at the receiver.
 *
 * <p>All public classes of this package are thread-safe. A reader or writer that they return must be used by one
 * thread.
 */
@NullMarked
package io.parley.codec.xml.payload;

import org.jspecify.annotations.NullMarked;
