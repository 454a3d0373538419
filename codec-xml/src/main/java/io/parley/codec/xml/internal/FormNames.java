package io.parley.codec.xml.internal;

/** The names in the document. None of them lies in an XML namespace. */
public final class FormNames {
    /** The root element. */
    public static final String MESSAGE = "Message";
    /** The root's required attribute. */
    public static final String VERSION = "version";
    /** The only {@link #VERSION} there is. */
    public static final String VERSION_0 = "0";

    /** A message element. */
    public static final String ELEMENT = "Element";
    /** The required attribute with the element's namespace and name, see {@link QualifiedName}. */
    public static final String NAME = "name";
    /** The attribute with the element's type. */
    public static final String TYPE = "mime_type";
    /** The attribute that says how octets are written; absent when the content is characters. */
    public static final String ENCODING = "encoding";
    /** The only {@link #ENCODING} there is. */
    public static final String BASE64 = "base64";

    private FormNames() {}
}
