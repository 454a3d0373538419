package io.parley.codec.xml.internal;

/**
 * A namespace and a name, which share one attribute: {@code namespace:name}. The first colon parts them, so a namespace
 * has none; the empty namespace is left out together with the colon, unless the name has a colon of its own.
 *
 * @param namespace without a colon, may be empty
 * @param name may be empty and may have colons
 */
public record QualifiedName(String namespace, String name) {
    private static final char SEPARATOR = ':';

    /** The two parts of an attribute; every string has them. */
    public static QualifiedName parse(String attribute) {
        int colon = attribute.indexOf(SEPARATOR);
        return colon < 0
                ? new QualifiedName("", attribute)
                : new QualifiedName(attribute.substring(0, colon), attribute.substring(colon + 1));
    }

    static boolean canBeNamespace(String namespace) {
        return namespace.indexOf(SEPARATOR) < 0;
    }

    /** The attribute, from which {@link #parse} makes the same parts. */
    static String attribute(String namespace, String name) {
        return namespace.isEmpty() && name.indexOf(SEPARATOR) < 0 ? name : namespace + SEPARATOR + name;
    }
}
