package io.parley.endpoint;

import java.nio.charset.StandardCharsets;

/**
 * Which service of a peer a message is for, as in JXTA: a service name and a parameter that the service gives a meaning,
 * such as the id of a pipe.
 *
 * @param service   1 to {@value #MAX_BYTES} bytes of UTF-8
 * @param parameter up to {@value #MAX_BYTES} bytes of UTF-8; empty when the service needs none
 */
public record ServiceAddress(String service, String parameter) {

    /** The longest name and the longest parameter, in bytes of UTF-8. */
    public static final int MAX_BYTES = 512;

    /** @throws IllegalArgumentException when a part is empty or too long */
    public ServiceAddress {
        check("service", service, 1);
        check("parameter", parameter, 0);
    }

    /** A service that needs no parameter. */
    public static ServiceAddress of(String service) {
        return new ServiceAddress(service, "");
    }

    private static void check(String what, String value, int least) {
        int bytes = value.length() > MAX_BYTES ? value.length() : value.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < least || bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    what + ": " + bytes + " bytes (expected: " + least + " to " + MAX_BYTES + ")");
        }
    }

    @Override
    public String toString() {
        return parameter.isEmpty() ? service : service + "/" + parameter;
    }
}
