package io.parley.codec.xml.internal;

/**
 * The XML form of one message element.
 *
 * @param name the value of the attribute {@link FormNames#NAME}; only characters of XML 1.0
 * @param type the value of the attribute {@link FormNames#TYPE}; printable ASCII
 * @param content the content of the element; octets require the attribute {@link FormNames#ENCODING}
 */
public record ElementForm(String name, String type, Content content) {}
