/**
 * What a message looks like as an XML document, before it is decided how the document is written: the one place that the
 * XML text codec and the Fast Infoset codec ask, so that both say the same. It follows the XML message format of the JXTA
 * v2.0 Protocols Specification. Writers start with {@link io.parley.codec.xml.internal.FormEncoder}, readers with
 * {@link io.parley.codec.xml.internal.FormDecoder}.
 *
 * <p>Internal: the types are public only because the codecs lie in other packages, and may change in any version.
 */
@NullMarked
package io.parley.codec.xml.internal;

import org.jspecify.annotations.NullMarked;
