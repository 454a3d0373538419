package io.parley.examples.socks;

/** The replies to a SOCKS request that this program sends (RFC 1928, section 6). */
enum SocksReply {
    SUCCEEDED(0),
    GENERAL_FAILURE(1),
    /** For names that are not of a service of a peer, and for peers that do not allow this one. */
    NOT_ALLOWED(2),
    HOST_UNREACHABLE(4),
    CONNECTION_REFUSED(5),
    COMMAND_NOT_SUPPORTED(7),
    ADDRESS_TYPE_NOT_SUPPORTED(8);

    private final int code;

    SocksReply(int code) {
        this.code = code;
    }

    /** Returns the code in the reply. */
    int code() {
        return code;
    }
}
