package io.parley.endpoint;

import io.parley.common.internal.TextSanitizer;
import java.nio.charset.StandardCharsets;

/**
 * The address of a service within a peer, as in JXTA: a service name and a parameter whose meaning the service defines,
 * such as a pipe id.
 *
 * @param service   the name, 1 to {@value #MAX_BYTES} bytes of UTF-8
 * @param parameter the parameter, up to {@value #MAX_BYTES} bytes of UTF-8; empty if the service needs none
 */
public record ServiceAddress(String service, String parameter) {

    /** The maximum length of a name and of a parameter, in bytes of UTF-8. */
    public static final int MAX_BYTES = 512;

    /** @throws IllegalArgumentException if the name is empty or a component is too long */
    public ServiceAddress {
        check("service", service, 1);
        check("parameter", parameter, 0);
    }

    /** Returns the address of a service without a parameter. */
    public static ServiceAddress of(String service) {
        return new ServiceAddress(service, "");
    }

    private static void check(String name, String value, int minBytes) {
        int bytes = value.length() > MAX_BYTES ? value.length() : value.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < minBytes || bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    name + ": " + bytes + " bytes (expected: " + minBytes + " to " + MAX_BYTES + ")");
        }
    }

    /** Returns the address for logs and exceptions: in one line, without control characters. */
    @Override
    public String toString() {
        return TextSanitizer.oneLine(parameter.isEmpty() ? service : service + "/" + parameter);
    }
}
