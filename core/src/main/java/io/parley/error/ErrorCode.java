package io.parley.error;

import org.jspecify.annotations.Nullable;

/**
 * The reason of a failure. The number of a code is its form on the wire and never changes. The {@link Remedy} is what the
 * caller can do; it also selects the exception class. {@code docs/errors.md} lists all codes.
 *
 * <p>A code describes a failure from the point of view of the peer that reports it. If the report of a remote peer becomes
 * an exception on this peer, {@link #ofWire} therefore translates the code: a pipe that the remote peer has closed is
 * {@link #CLOSED} there and {@link #DISCONNECTED} here.
 */
public enum ErrorCode {
    /** The remote peer did not respond in time. */
    TIMEOUT(1, Remedy.RETRY),
    /** None of the known addresses of the peer is reachable. */
    UNREACHABLE(2, Remedy.RETRY),
    /** A memory budget, a rate or a number of concurrent operations is exhausted at the moment. */
    BUSY(3, Remedy.RETRY),
    /** A bounded queue is full. */
    QUEUE_FULL(4, Remedy.RETRY),
    /** The peer, group, pipe or other object that was called has been closed by its owner on this peer. */
    CLOSED(5, Remedy.CHANGE_CALL),
    /** The two peers already have a connection, which must be used. */
    DUPLICATE_CONNECTION(6, Remedy.RETRY),
    /** A handler of the remote peer failed for an internal reason. */
    SERVICE_FAILED(7, Remedy.RETRY),
    /** The peer was lost, or this end was closed, before a message was acknowledged. The message may have been delivered. */
    LOST(8, Remedy.RETRY),
    /** The remote peer closed the connection, channel or service, or the connection was lost. Never sent on the wire. */
    DISCONNECTED(9, Remedy.RETRY),

    /** A message exceeds the maximum size of this peer or of the remote peer. */
    MESSAGE_TOO_LARGE(20, Remedy.CHANGE_CALL),
    /** The remote peer does not offer the service or pipe. */
    NO_SUCH_SERVICE(21, Remedy.CHANGE_CALL),
    /** The two peers have no message codec in common, or one of them lacks a required encoding scheme, or the key of an element. */
    NO_COMMON_CODEC(22, Remedy.CHANGE_CALL),
    /** No transport on the class path supports the address. */
    NO_TRANSPORT(23, Remedy.CHANGE_CALL),
    /** A transport cannot listen on a local address. */
    CANNOT_LISTEN(24, Remedy.CHANGE_CALL),
    /** The codec cannot represent the message, or a file of the message cannot be read. */
    NOT_ENCODABLE(25, Remedy.CHANGE_CALL),
    /** The identity file is damaged or cannot be read or written. */
    IDENTITY_UNREADABLE(26, Remedy.CHANGE_CALL),
    /** The name is already in use on this peer. */
    ALREADY_BOUND(27, Remedy.CHANGE_CALL),
    /** The file of the advertisement store is in use by another process, or cannot be read or written. */
    STORE_UNAVAILABLE(28, Remedy.CHANGE_CALL),
    /** A limit in the configuration of this peer refuses the call. Never sent on the wire. */
    LOCAL_LIMIT(29, Remedy.CHANGE_CALL),
    /** The remote peer rejected data of this peer as invalid, too large or over its quota. Never sent on the wire. */
    REJECTED_BY_PEER(30, Remedy.CHANGE_CALL),
    /** The home directory is in use by another running peer. Never sent on the wire. */
    HOME_IN_USE(31, Remedy.CHANGE_CALL),
    /**
     * The application of the remote peer has responded to a request with an error, which also has a code of the application: see
     * {@code ApplicationException}. Sent only in responses to requests.
     */
    APPLICATION_ERROR(32, Remedy.CHANGE_CALL),
    /** One of the two peers requires a secure channel or pipe, and the other one does not offer it. */
    SECURITY_MISMATCH(33, Remedy.CHANGE_CALL),

    /** The remote peer violated the wire protocol. */
    PROTOCOL_VIOLATION(40, Remedy.DROP_PEER),
    /** The remote peer could not authenticate the expected peer id, or is not authorized. */
    IDENTITY_REFUSED(41, Remedy.DROP_PEER),
    /** A message of the remote peer could not be decoded. */
    MALFORMED_MESSAGE(42, Remedy.DROP_PEER),
    /** Data of the remote peer exceeds a limit. */
    LIMIT_EXCEEDED(43, Remedy.DROP_PEER),
    /** The remote peer supports no protocol version of this peer. */
    VERSION_UNSUPPORTED(44, Remedy.DROP_PEER),
    /** An advertisement could not be parsed, or is inconsistent. */
    MALFORMED_ADVERTISEMENT(45, Remedy.DROP_PEER),
    /** A signature does not match the data and the signer. */
    SIGNATURE_REFUSED(46, Remedy.DROP_PEER),
    /** Signed data has expired. A newer version may exist, so this is not a fault of the peer that sent it. */
    EXPIRED(47, Remedy.CHANGE_CALL),
    /** Signed data was issued in the future, according to the local clock. */
    NOT_YET_VALID(48, Remedy.CHANGE_CALL),
    /** An advertisement is not newer than the known version. This is not a fault of the peer that sent it. */
    STALE_ADVERTISEMENT(49, Remedy.CHANGE_CALL);

    /** The action of the caller after a failure. */
    public enum Remedy {
        /** The same call may succeed later. */
        RETRY,
        /** The same call fails again until its arguments, the configuration or the class path have changed. */
        CHANGE_CALL,
        /** The remote peer is faulty or hostile. The caller should stop communicating with it. */
        DROP_PEER
    }

    private final int number;
    private final Remedy remedy;

    ErrorCode(int number, Remedy remedy) {
        this.number = number;
        this.remedy = remedy;
    }

    /** Returns the number of this code on the wire. */
    public int number() {
        return number;
    }

    /** Returns the action that the caller can take. */
    public Remedy remedy() {
        return remedy;
    }

    /** Returns the code with a number, or {@code null} if this version does not know the number. */
    public static @Nullable ErrorCode ofNumber(int number) {
        for (ErrorCode code : values()) {
            if (code.number == number) {
                return code;
            }
        }
        return null;
    }

    /**
     * Returns the code of this peer for a number that a remote peer reported, or {@code null} if this version does not know
     * the number. An object that is closed on the remote peer is {@link #DISCONNECTED}; a queue that is full there is {@link #BUSY},
     * because this peer cannot wait for its room; a failure of the remote peer's own configuration is {@link #SERVICE_FAILED}; a fault
     * that the remote peer found in the data of this peer is {@link #REJECTED_BY_PEER}. All other codes have the same meaning on both
     * peers.
     */
    public static @Nullable ErrorCode ofWire(int number) {
        ErrorCode reported = ofNumber(number);
        if (reported == null) {
            return null;
        }
        return switch (reported) {
            case CLOSED -> DISCONNECTED;
            case QUEUE_FULL -> BUSY;
            case NO_TRANSPORT,
                    CANNOT_LISTEN,
                    NOT_ENCODABLE,
                    IDENTITY_UNREADABLE,
                    ALREADY_BOUND,
                    STORE_UNAVAILABLE,
                    LOCAL_LIMIT,
                    HOME_IN_USE,
                    APPLICATION_ERROR -> SERVICE_FAILED;
            case PROTOCOL_VIOLATION, MALFORMED_MESSAGE, LIMIT_EXCEEDED, MALFORMED_ADVERTISEMENT, SIGNATURE_REFUSED ->
                REJECTED_BY_PEER;
            default -> reported;
        };
    }

    /**
     * Returns the code that reports this failure to a remote peer. The codes that are never sent become
     * {@link #CLOSED} ({@link #DISCONNECTED}) or {@link #SERVICE_FAILED}; all others stay.
     */
    public ErrorCode toWire() {
        return switch (this) {
            case DISCONNECTED -> CLOSED;
            case LOCAL_LIMIT, REJECTED_BY_PEER, HOME_IN_USE, APPLICATION_ERROR -> SERVICE_FAILED;
            default -> this;
        };
    }

    /** Returns an exception of the class that corresponds to the {@link #remedy}. */
    public ParleyException exception(String message) {
        return exception(message, null);
    }

    /** Returns an exception with a cause, of the class that corresponds to the {@link #remedy}. */
    public ParleyException exception(String message, @Nullable Throwable cause) {
        return switch (remedy) {
            case RETRY -> new RetryableException(this, message, cause);
            case CHANGE_CALL -> new InvalidCallException(this, message, cause);
            case DROP_PEER -> new PeerFaultException(this, message, cause);
        };
    }
}
