package io.parley.codec.xml.internal;

/** The element and attribute names of the XML message format. None of them is in an XML namespace. */
public final class FormNames {
    /** The root element. */
    public static final String MESSAGE = "Message";
    /** The required attribute of the root element. */
    public static final String VERSION = "version";
    /** The only value of {@link #VERSION}. */
    public static final String VERSION_0 = "0";

    /** A message element. */
    public static final String ELEMENT = "Element";
    /** The required attribute with the namespace and the name of a message element, see {@link QualifiedName}. */
    public static final String NAME = "name";
    /** The attribute with the MIME type of a message element. */
    public static final String TYPE = "mime_type";
    /** The attribute with the encoding of octets; absent if the content is characters. */
    public static final String ENCODING = "encoding";
    /** The only value of {@link #ENCODING}. */
    public static final String BASE64 = "base64";

    private FormNames() {}

    /** Returns whether an attribute is part of the format. */
    public static boolean isAttribute(String name) {
        return name.equals(NAME) || name.equals(TYPE) || name.equals(ENCODING) || name.equals(VERSION);
    }
}
