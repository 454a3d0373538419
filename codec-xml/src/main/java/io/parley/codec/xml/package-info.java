/**
 * Messages as XML text and as Fast Infoset. Nothing is here yet: the module keeps its place until the codecs are
 * written.
 */
@NullMarked
package io.parley.codec.xml;

import org.jspecify.annotations.NullMarked;
