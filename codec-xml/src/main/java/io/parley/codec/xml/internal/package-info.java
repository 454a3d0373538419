/**
 * The XML form of a message, independent of its serialization. The XML text codec and the Fast Infoset codec share it,
 * so that both represent a message by the same document. The form is the XML message format of the JXTA v2.0 Protocols
 * Specification. Writers start with {@link io.parley.codec.xml.internal.FormEncoder}, readers with
 * {@link io.parley.codec.xml.internal.FormDecoder}.
 *
 * <p>Internal: these types are public only because the codecs are in other packages. They may change in any version.
 */
@NullMarked
package io.parley.codec.xml.internal;

import org.jspecify.annotations.NullMarked;
