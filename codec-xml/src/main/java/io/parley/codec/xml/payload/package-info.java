/**
 * XML in elements of messages: written to them and read from them as a stream, as SAX events, as a DOM or as mapped
 * objects, and always in either of two {@linkplain io.parley.codec.xml.payload.XmlForm forms}, text or Fast Infoset. Start
 * with {@link io.parley.codec.xml.payload.XmlStreams}, on which the others stand. Whoever reads need not know the form:
 * the element's type says it, and binary form is read without making text of it.
 *
 * <p>What is read may come from anybody. There are no document type declarations and so no entities, nothing is ever
 * fetched, and {@link io.parley.codec.xml.payload.XmlLimits} bound what a document can cost. Parsers are named by class, so
 * what else lies on the class path doesn't matter.
 *
 * <p>{@link io.parley.codec.xml.payload.FastInfosetEncodingScheme} is for elements of XML text that shall be smaller on their way
 * and text again, byte for byte, where they arrive.
 *
 * <p>All public classes here may be used from any thread; a reader or writer that they hand out belongs to one thread.
 */
@NullMarked
package io.parley.codec.xml.payload;

import org.jspecify.annotations.NullMarked;
