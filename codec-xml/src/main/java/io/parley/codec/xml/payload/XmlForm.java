package io.parley.codec.xml.payload;

import io.parley.message.MessageElement;
import java.util.Locale;
import java.util.Optional;

/** The forms that an XML document has in an element; the element's MIME type tells which. */
public enum XmlForm {
    /** The text of XML 1.0, in UTF-8 when written here. */
    TEXT(MessageElement.TYPE_XML),
    /** Fast Infoset, ITU-T X.891: binary, smaller than the text where names and values repeat, and read without parsing. */
    FAST_INFOSET("application/fastinfoset");

    private final String type;

    XmlForm(String type) {
        this.type = type;
    }

    /** The MIME type that elements of this form are given. */
    public String type() {
        return type;
    }

    /**
     * The form that an element's type promises: text for {@code text/xml}, {@code application/xml} and all that end in
     * {@code +xml}, with any parameters; Fast Infoset for {@code application/fastinfoset} and all that end in
     * {@code +fastinfoset}; empty for all others.
     */
    public static Optional<XmlForm> of(MessageElement element) {
        String mediaType = mediaType(element.type());
        return switch (mediaType) {
            case "text/xml", "application/xml" -> Optional.of(TEXT);
            case "application/fastinfoset" -> Optional.of(FAST_INFOSET);
            default -> {
                if (mediaType.endsWith("+xml")) {
                    yield Optional.of(TEXT);
                }
                yield mediaType.endsWith("+fastinfoset") ? Optional.of(FAST_INFOSET) : Optional.empty();
            }
        };
    }

    private static String mediaType(String type) {
        int end = type.indexOf(';');
        return (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
    }
}
