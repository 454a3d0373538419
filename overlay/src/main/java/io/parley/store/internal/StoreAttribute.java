package io.parley.store.internal;

/**
 * What an entry can be found by. As in JXTA, an empty value is kept but finds nothing.
 *
 * @param name  not empty; upper and lower case differ
 * @param value upper and lower case differ, white space counts
 */
public record StoreAttribute(String name, String value) {

    /** @throws IllegalArgumentException when the name is empty, or a text is not well-formed Unicode or has U+0000 */
    public StoreAttribute {
        StoreText.checkNotEmpty("attribute name", name);
        StoreText.check("attribute value", value);
    }
}
