package io.parley.store.internal;

/**
 * A searchable name/value pair of an entry. As in JXTA, an empty value is stored but not indexed.
 *
 * @param name  not empty; case-sensitive
 * @param value case-sensitive, including white space
 */
public record StoreAttribute(String name, String value) {

    /** @throws IllegalArgumentException if the name is empty, or a text is not well-formed Unicode or has U+0000 */
    public StoreAttribute {
        StoreText.checkNotEmpty("attribute name", name);
        StoreText.check("attribute value", value);
    }
}
