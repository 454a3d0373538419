package io.parley.transport;

import io.parley.common.internal.TextSanitizer;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An address of a transport: {@code tcp://host:port}, {@code tcp://[::1]:9701}, {@code mem://name}. A relayed address is that of a relay
 * with {@code relay+} in front: a peer at {@code relay+tcp://host:port} listens at the relay at {@code tcp://host:port}.
 *
 * @param scheme the transport's scheme, lower case
 * @param host   host name, IPv4 address, IPv6 address without brackets, or a name that the transport understands
 * @param port   0 to 65535, or -1 if the transport has no ports
 */
public record EndpointAddress(String scheme, String host, int port) {

    private static final Pattern FORM = Pattern.compile(
            "([a-zA-Z][a-zA-Z0-9+.-]*)://(?:\\[([0-9a-fA-F:.%a-z_]+)]|([^\\[\\]:/@\\s\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z}]+))(?::([0-9]{1,5}))?/?");

    private static final int MAX_LENGTH = 300;

    /** The beginning of the schemes of relayed addresses. */
    private static final String RELAYED = "relay+";

    /** @throws IllegalArgumentException if a component is out of its range */
    public EndpointAddress {
        scheme = scheme.toLowerCase(Locale.ROOT);
        if (scheme.isEmpty() || host.isEmpty() || !isPrintable(scheme) || !isPrintable(host)) {
            throw new IllegalArgumentException(
                    "endpoint address: scheme '" + TextSanitizer.escape(scheme) + "' and host '"
                            + TextSanitizer.escape(host) + "' (expected: both not empty, no control characters)");
        }
        if (port < -1 || port > 65535) {
            throw new IllegalArgumentException("port: " + port + " (expected: 0 to 65535, or -1 for none)");
        }
    }

    /**
     * Parses the text form.
     *
     * @throws IllegalArgumentException naming the text and the expected form
     */
    public static EndpointAddress parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (text.length() > MAX_LENGTH || !matcher.matches()) {
            throw new IllegalArgumentException("endpoint address: '" + TextSanitizer.escape(text)
                    + "' (expected: scheme://host:port, an IPv6 host in brackets, such as tcp://192.0.2.1:9701)");
        }
        String host = matcher.group(2) != null ? matcher.group(2) : matcher.group(3);
        int port = matcher.group(4) == null ? -1 : Integer.parseInt(matcher.group(4));
        return new EndpointAddress(matcher.group(1), host, port);
    }

    /** An address is written to logs, and the host may come from a remote peer. */
    private static boolean isPrintable(String component) {
        return TextSanitizer.oneLine(component).equals(component);
    }

    /** Returns whether a peer at this address is reached through a relay. */
    public boolean isRelayed() {
        return scheme.startsWith(RELAYED);
    }

    /**
     * Returns the address of the relay of this relayed address.
     *
     * @throws IllegalStateException if this address is not {@linkplain #isRelayed relayed}
     */
    public EndpointAddress relay() {
        if (!isRelayed()) {
            throw new IllegalStateException(this + ": not a relayed address (expected: " + RELAYED + scheme + "://)");
        }
        return new EndpointAddress(scheme.substring(RELAYED.length()), host, port);
    }

    /**
     * Returns the relayed address of the peers that listen at a relay at this address.
     *
     * @throws IllegalStateException if this address is {@linkplain #isRelayed relayed} itself
     */
    public EndpointAddress relayed() {
        if (isRelayed()) {
            throw new IllegalStateException(this + ": a relayed address (expected: the address of a relay)");
        }
        return new EndpointAddress(RELAYED + scheme, host, port);
    }

    /** Returns this address with another port. */
    public EndpointAddress withPort(int newPort) {
        return new EndpointAddress(scheme, host, newPort);
    }

    /** Returns this address with another host. */
    public EndpointAddress withHost(String newHost) {
        return new EndpointAddress(scheme, newHost, port);
    }

    /** Returns the text form, which {@link #parse} reads. */
    @Override
    public String toString() {
        String shownHost = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return scheme + "://" + shownHost + (port < 0 ? "" : ":" + port);
    }
}
