package io.parley.transport.http;

import io.parley.transport.EndpointAddress;

/** The form of an address in HTTP (RFC 9110, section 7.2): a host, in brackets if it is an IPv6 address, and a port. */
final class HttpAuthority {

    private HttpAuthority() {}

    /** Returns the host without its zone, which has a meaning on this machine alone (RFC 6874), and the port. */
    static String withPort(EndpointAddress address) {
        String host = address.host();
        int zone = host.indexOf('%');
        String shown = zone < 0 ? host : host.substring(0, zone);
        return (shown.indexOf(':') < 0 ? shown : "[" + shown + "]") + ":" + address.port();
    }

    /** Returns the same for the header Host, without the default port of the scheme. */
    static String host(EndpointAddress address) {
        String whole = withPort(address);
        String defaultPort = address.scheme().equals(WebSocketTunnel.HTTPS) ? ":443" : ":80";
        return whole.endsWith(defaultPort) ? whole.substring(0, whole.length() - defaultPort.length()) : whole;
    }
}
