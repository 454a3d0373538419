package io.parley.codec.xml.internal;

/**
 * The namespace and the name of a message element in one attribute: {@code namespace:name}. The first colon separates
 * them, so a namespace has no colon. An empty namespace is omitted together with its colon, unless the name contains a
 * colon.
 *
 * @param namespace may be empty; has no colon
 * @param name may be empty; may have colons
 */
public record QualifiedName(String namespace, String name) {
    private static final char SEPARATOR = ':';

    /** Parses an attribute value. Each string is valid. */
    public static QualifiedName parse(String attribute) {
        int colon = attribute.indexOf(SEPARATOR);
        return colon < 0
                ? new QualifiedName("", attribute)
                : new QualifiedName(attribute.substring(0, colon), attribute.substring(colon + 1));
    }

    static boolean canBeNamespace(String namespace) {
        return namespace.indexOf(SEPARATOR) < 0;
    }

    /** Returns the attribute value that {@link #parse} splits into this namespace and this name. */
    static String attribute(String namespace, String name) {
        return namespace.isEmpty() && name.indexOf(SEPARATOR) < 0 ? name : namespace + SEPARATOR + name;
    }
}
