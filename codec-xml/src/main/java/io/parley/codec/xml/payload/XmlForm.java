package io.parley.codec.xml.payload;

import io.parley.message.MessageElement;
import java.util.Locale;
import java.util.Optional;

/** The form of an XML document in an element. The MIME type of the element identifies the form. */
public enum XmlForm {
    /** The text of XML 1.0. Written in UTF-8. */
    TEXT(MessageElement.TYPE_XML),
    /**
     * Fast Infoset (ITU-T X.891): binary, smaller than text if names and values repeat, and read without text parsing.
     */
    FAST_INFOSET("application/fastinfoset");

    private final String type;

    XmlForm(String type) {
        this.type = type;
    }

    /** Returns the MIME type of elements that are written in this form. */
    public String type() {
        return type;
    }

    /**
     * Returns the form for the MIME type of an element: {@link #TEXT} for {@code text/xml}, {@code application/xml} and
     * all types that end in {@code +xml}; {@link #FAST_INFOSET} for {@code application/fastinfoset} and all types that
     * end in {@code +fastinfoset}; empty for all other types. Parameters of the type are ignored.
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
