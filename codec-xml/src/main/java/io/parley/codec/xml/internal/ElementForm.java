package io.parley.codec.xml.internal;

/**
 * One element as it is to be written.
 *
 * @param name the value of the attribute {@link FormNames#NAME}, nothing but characters that XML can say
 * @param type the value of the attribute {@link FormNames#TYPE}, printable ASCII
 * @param content what stands inside, and whether {@link FormNames#ENCODING} is there
 */
public record ElementForm(String name, String type, Content content) {}
