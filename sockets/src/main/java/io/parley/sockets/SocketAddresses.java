package io.parley.sockets;

import io.parley.id.PeerId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The addresses that sockets show. Programs expect an {@link InetAddress}: it has the host name of the service, so that no name is looked
 * up, and an IPv6 address of the local kind (RFC 4193) that is derived from the peer id and leads nowhere.
 */
final class SocketAddresses {

    /** The port of a service where the program has given none. It has no meaning, but is not zero, which means "not connected". */
    static final int DEFAULT_PORT = 1;

    private static final byte[] PREFIX = {(byte) 0xfd, 'p', 'a', 'r', 'l', 'y'};
    private static final int ADDRESS_BYTES = 16;
    private static final int FIRST_EPHEMERAL = 49_152;
    private static final int EPHEMERALS = 16_384;

    private static final AtomicInteger NEXT_EPHEMERAL = new AtomicInteger();

    private SocketAddresses() {}

    /** Returns the address of a service of a peer. */
    static InetAddress of(PeerId peer, String service) {
        return newAddress(ServiceHost.of(peer, service).toString(), peer.toByteArray());
    }

    /** Returns the address of a peer that has connected, from no service. */
    static InetAddress of(PeerId peer) {
        return newAddress(peer.text() + "." + ServiceHost.DOMAIN, peer.toByteArray());
    }

    /** Returns an address with that host name, for the methods of the JDK that require a resolved one. */
    static InetSocketAddress resolved(InetSocketAddress unresolved) {
        return new InetSocketAddress(newAddress(unresolved.getHostString(), new byte[0]), unresolved.getPort());
    }

    private static InetAddress newAddress(String host, byte[] id) {
        byte[] address = new byte[ADDRESS_BYTES];
        System.arraycopy(PREFIX, 0, address, 0, PREFIX.length);
        System.arraycopy(id, 0, address, PREFIX.length, Math.min(id.length, ADDRESS_BYTES - PREFIX.length));
        try {
            return InetAddress.getByAddress(host, address);
        } catch (UnknownHostException e) { // only because of the length
            throw new IllegalStateException(e);
        }
    }

    static int portOr(int port) {
        return port == 0 ? DEFAULT_PORT : port;
    }

    /** Returns the next local port. It has no meaning, but two sockets that are open at a time are likely to differ. */
    static int nextEphemeralPort() {
        return FIRST_EPHEMERAL + Math.floorMod(NEXT_EPHEMERAL.getAndIncrement(), EPHEMERALS);
    }

    /**
     * Returns the service that the host text of an address names.
     *
     * @throws UnknownHostException if it names none
     */
    static ServiceHost parse(SocketAddress address) throws IOException {
        if (!(address instanceof InetSocketAddress inet)) {
            throw new IllegalArgumentException("Unsupported address type");
        }
        return parse(inet.getHostString());
    }

    static ServiceHost parse(String host) throws UnknownHostException {
        try {
            return ServiceHost.parse(host);
        } catch (IllegalArgumentException e) {
            UnknownHostException unknown = new UnknownHostException(e.getMessage());
            unknown.initCause(e);
            throw unknown;
        }
    }
}
