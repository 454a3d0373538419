package io.parley.examples.socks;

import io.parley.examples.console.TextFormatter;
import io.parley.sockets.ServiceHost;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The negotiation of one SOCKS5 client (RFC 1928): the methods, the request and the reply. Supports clients without authentication, the
 * command CONNECT, and names of services. Reads no byte beyond the request. Not thread-safe.
 *
 * <pre>
 * client   05 count method...           server   05 00              no authentication
 *                                                05 FF              no acceptable method
 * client   05 01 00 type address port   server   05 reply 00 01 00000000 0000
 * </pre>
 */
final class SocksNegotiator {

    private static final int VERSION = 5;
    private static final int NO_AUTHENTICATION = 0;
    private static final int NO_ACCEPTABLE_METHOD = 0xff;
    private static final int CONNECT = 1;
    private static final int IPV4 = 1;
    private static final int DOMAIN_NAME = 3;
    private static final int IPV6 = 4;
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    private static final int PORT_BYTES = 2;

    /** The reserved byte and the bound address, which is not known and which clients ignore. */
    private static final byte[] NO_ADDRESS = {0, IPV4, 0, 0, 0, 0, 0, 0};

    private final InputStream in;
    private final OutputStream out;

    SocksNegotiator(InputStream in, OutputStream out) {
        this.in = in;
        this.out = out;
    }

    /**
     * Agrees on the method and reads the request. The caller must {@link #reply} to a request that this method returns.
     *
     * @return the service to which the client wants to connect
     * @throws SocksRefusedException if the request is malformed or asks for something else; the reply has been sent
     * @throws IOException if the client has failed
     */
    ServiceHost negotiate() throws IOException {
        try {
            agreeOnMethod();
            return readRequest();
        } catch (EOFException e) {
            throw new SocksRefusedException("Malformed SOCKS request: it ends early", e);
        }
    }

    private void agreeOnMethod() throws IOException {
        int version = readByte();
        if (version != VERSION) { // of another protocol, whose client would not understand a reply
            throw new SocksRefusedException(
                    "Not a SOCKS5 client: version " + version + " (expected: " + VERSION + "); use socks5h://");
        }
        byte[] methods = readBytes(readByte());
        for (byte method : methods) {
            if (method == NO_AUTHENTICATION) {
                send(VERSION, NO_AUTHENTICATION);
                return;
            }
        }
        send(VERSION, NO_ACCEPTABLE_METHOD);
        throw new SocksRefusedException(
                "The SOCKS client wants to authenticate, but there is no authentication; use no user name");
    }

    private ServiceHost readRequest() throws IOException {
        int version = readByte();
        if (version != VERSION) {
            throw refused(SocksReply.GENERAL_FAILURE, "Malformed SOCKS request: version " + version);
        }
        int command = readByte();
        readByte(); // reserved
        int type = readByte();
        String name = readName(type);
        if (command != CONNECT) {
            throw refused(
                    SocksReply.COMMAND_NOT_SUPPORTED,
                    "SOCKS command " + command + " is not supported (expected: " + CONNECT + ", CONNECT)");
        }
        if (type != DOMAIN_NAME) {
            throw refused(
                    SocksReply.ADDRESS_TYPE_NOT_SUPPORTED,
                    "The SOCKS request has an IP address (expected: a name of a service); use socks5h://, or --socks5-hostname"
                            + " of curl, so that the name is not looked up before");
        }
        return parse(name);
    }

    /** Reads the address and the port, also of a request that is refused: a client may not read the reply before. */
    private String readName(int type) throws IOException {
        byte[] address;
        switch (type) {
            case IPV4 -> address = readBytes(IPV4_BYTES);
            case IPV6 -> address = readBytes(IPV6_BYTES);
            case DOMAIN_NAME -> address = readBytes(readByte());
            default ->
                throw refused(
                        SocksReply.ADDRESS_TYPE_NOT_SUPPORTED,
                        "Malformed SOCKS request: address type " + type + " (expected: " + DOMAIN_NAME + ", a name)");
        }
        readBytes(PORT_BYTES); // which has no meaning for a service
        return new String(address, StandardCharsets.ISO_8859_1);
    }

    private ServiceHost parse(String name) throws IOException {
        String shown = TextFormatter.escaped(name);
        if (name.isEmpty() || !name.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw refused(SocksReply.GENERAL_FAILURE, "Malformed SOCKS request: host name \"" + shown + "\"");
        }
        if (!ServiceHost.isServiceHost(name)) {
            throw refused(
                    SocksReply.NOT_ALLOWED,
                    "Refused a connection to " + shown + " (expected: a name that ends with ." + ServiceHost.DOMAIN
                            + ")");
        }
        try {
            return ServiceHost.parse(name);
        } catch (IllegalArgumentException e) {
            throw refused(SocksReply.HOST_UNREACHABLE, String.valueOf(e.getMessage()));
        }
    }

    private SocksRefusedException refused(SocksReply reply, String message) throws IOException {
        reply(reply);
        return new SocksRefusedException(message);
    }

    /** Sends the reply to the request. */
    void reply(SocksReply reply) throws IOException {
        byte[] bytes = new byte[2 + NO_ADDRESS.length];
        bytes[0] = VERSION;
        bytes[1] = (byte) reply.code();
        System.arraycopy(NO_ADDRESS, 0, bytes, 2, NO_ADDRESS.length);
        out.write(bytes);
        out.flush();
    }

    private void send(int first, int second) throws IOException {
        out.write(new byte[] {(byte) first, (byte) second});
        out.flush();
    }

    private int readByte() throws IOException {
        int value = in.read();
        if (value < 0) {
            throw new EOFException("end of the stream");
        }
        return value;
    }

    private byte[] readBytes(int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("end of the stream");
        }
        return bytes;
    }
}
