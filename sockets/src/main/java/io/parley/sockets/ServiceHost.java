package io.parley.sockets;

import io.parley.common.internal.TextSanitizer;
import io.parley.id.PeerId;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a socket service in the form of a host name, for programs that know only host names: {@code <service>.<peer id>.parley}
 * for a service of one peer, {@code <service>.parley} for a service of any peer. Host names are case-insensitive. Nothing here
 * asks the DNS; {@code .parley} is not a domain of it.
 *
 * @param service the name of the service: one or more labels with dots in between, of lower-case letters, digits, {@code -} and {@code _}
 * @param peerId  the peer; {@code null} for any peer that has the service
 */
public record ServiceHost(String service, @Nullable PeerId peerId) {

    /** The last label of each host name of a service. */
    public static final String DOMAIN = "parley";

    private static final String SUFFIX = "." + DOMAIN;
    private static final int MAX_LABEL_CHARS = 63;

    /** The maximum of a name in the DNS. */
    private static final int MAX_HOST_CHARS = 253;

    private static final String LABEL = "[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?";
    private static final Pattern SERVICE = Pattern.compile(LABEL + "(\\." + LABEL + ")*");

    /** @throws IllegalArgumentException if the service is not a valid name; the message states why */
    public ServiceHost {
        requireService(service);
        if (isPeer(lastLabel(service))) {
            throw invalid(
                    "service",
                    service,
                    "a name whose last label is not a peer id; connect to a peer by <service>.<peer id>.parley");
        }
        int chars = service.length() + (peerId == null ? 0 : peerId.text().length() + 1) + SUFFIX.length();
        if (chars > MAX_HOST_CHARS) {
            throw invalid("service", service, "a host name of <= " + MAX_HOST_CHARS + " characters, is " + chars);
        }
    }

    /** Returns the address of a service of any peer. */
    public static ServiceHost of(String service) {
        return new ServiceHost(service, null);
    }

    /** Returns the address of a service of one peer. */
    public static ServiceHost of(PeerId peer, String service) {
        return new ServiceHost(service, Objects.requireNonNull(peer, "peer"));
    }

    /**
     * Parses a host name. Ignores case and a dot at the end.
     *
     * @throws IllegalArgumentException if it is not the host name of a service; the message states why
     */
    public static ServiceHost parse(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        if (name.endsWith(".")) {
            name = name.substring(0, name.length() - 1);
        }
        if (!name.endsWith(SUFFIX)) {
            throw invalid("host", host, "<service>.<peer id>.parley or <service>.parley");
        }
        String path = name.substring(0, name.length() - SUFFIX.length());
        String last = lastLabel(path);
        if (!isPeer(last)) {
            return of(path);
        }
        if (last.length() == path.length()) {
            throw invalid("host", host, "<service>.<peer id>.parley; the service is missing");
        }
        return of(PeerId.parse(last), path.substring(0, path.length() - last.length() - 1));
    }

    /** Returns whether a host name ends with {@code .parley}, so that it must be resolved by {@link #parse} and not by the DNS. */
    public static boolean isServiceHost(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        return name.endsWith(SUFFIX) || name.endsWith(SUFFIX + ".");
    }

    static void requireService(String service) {
        // The length first, because the depth of the match grows with it.
        if (service.length() > MAX_HOST_CHARS || !SERVICE.matcher(service).matches()) {
            throw invalid(
                    "service",
                    service,
                    "a part of a host name: labels of a-z, 0-9, '-' and '_' with dots in between, of <= "
                            + MAX_LABEL_CHARS + " characters each, which do not begin or end with '-'");
        }
    }

    private static IllegalArgumentException invalid(String what, String value, String expected) {
        return new IllegalArgumentException(what + ": " + TextSanitizer.quote(value) + " (expected: " + expected + ")");
    }

    private static String lastLabel(String path) {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    private static boolean isPeer(String label) {
        try {
            PeerId.parse(label);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns the peer; empty for any peer that has the service. */
    public Optional<PeerId> peer() {
        return Optional.ofNullable(peerId);
    }

    /** Returns the host name, which {@link #parse} parses. */
    @Override
    public String toString() {
        return service + (peerId == null ? "" : "." + peerId.text()) + SUFFIX;
    }
}
