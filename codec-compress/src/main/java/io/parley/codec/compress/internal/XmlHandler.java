package io.parley.codec.compress.internal;

/**
 * Receives the parts of an XML document in their order: the prologue, the root element with all that it contains, and the epilogue. A part is
 * a range of an array; the handler must not change the array. An element begins with {@link #startElement}; its attributes follow.
 */
interface XmlHandler {

    /** The bytes before the root element. Called first, and once. */
    void prologue(byte[] in, int from, int to);

    /**
     * The beginning of a start tag, up to its name.
     *
     * @param empty whether the tag ends with {@code />}. {@link #endElement} follows for such a tag too, unless {@link #restOfTag} ends it
     */
    void startElement(byte[] in, int from, int to, boolean empty);

    /** One space, the name of an attribute, an equals sign and the first quotation mark, or apostrophe. */
    void attributeName(byte[] in, int from, int to, boolean apostrophe);

    /** The value of that attribute and the second quotation mark. Called next. */
    void attributeValue(byte[] in, int from, int to);

    /** The end of a start tag that has another form, up to and including the {@code >}. It ends the element if the tag is empty. */
    void restOfTag(byte[] in, int from, int to);

    /** Content without markup. Entities and character references are not replaced. Never empty. */
    void text(byte[] in, int from, int to);

    /** The content of a comment, a CDATA section or a processing instruction, without the delimiters. */
    void section(XmlSection section, byte[] in, int from, int to);

    /** An end tag without white space, or the end of an empty element. */
    void endElement();

    /** An end tag of another form, from {@code <} to {@code >}. */
    void endElement(byte[] in, int from, int to);

    /** The bytes behind the root element. Called last, and once. */
    void epilogue(byte[] in, int from, int to);
}
