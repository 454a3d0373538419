package io.parley.error;

import org.jspecify.annotations.Nullable;

/**
 * Why something failed. The number is what crosses the wire and never changes its meaning; the {@link Remedy} says what
 * the caller can do.
 */
public enum ErrorCode {
    /** The other side did not answer in time. */
    TIMEOUT(1, Remedy.RETRY),
    /** No known address of the peer could be reached. */
    UNREACHABLE(2, Remedy.RETRY),
    /** A memory budget or a count of something is used up for now. */
    BUSY(3, Remedy.RETRY),
    /** A bounded queue has no room. */
    QUEUE_FULL(4, Remedy.RETRY),
    /** The peer, connection or pipe was closed. */
    CLOSED(5, Remedy.RETRY),
    /** The pair of peers already has a connection, which is to be used. */
    DUPLICATE_CONNECTION(6, Remedy.RETRY),
    /** What serves a question at the other peer has failed, for a reason of its own. */
    SERVICE_FAILED(7, Remedy.RETRY),
    /** The connection was lost while a message was on its way. It may have arrived. */
    LOST(8, Remedy.RETRY),

    /** A message is larger than this side or the other allows. */
    MESSAGE_TOO_LARGE(20, Remedy.CHANGE_CALL),
    /** The peer offers no service or pipe of that name. */
    NO_SUCH_SERVICE(21, Remedy.CHANGE_CALL),
    /** The two peers share no message codec, or this one lacks the scheme that an element is encoded by. */
    NO_COMMON_CODEC(22, Remedy.CHANGE_CALL),
    /** No transport on the class path serves the address. */
    NO_TRANSPORT(23, Remedy.CHANGE_CALL),
    /** A local address can't be listened on. */
    CANNOT_LISTEN(24, Remedy.CHANGE_CALL),
    /** The codec can't carry such a message. */
    NOT_ENCODABLE(25, Remedy.CHANGE_CALL),
    /** The identity file can't be read or is damaged. */
    IDENTITY_UNREADABLE(26, Remedy.CHANGE_CALL),
    /** A name is already taken on this peer. */
    ALREADY_BOUND(27, Remedy.CHANGE_CALL),
    /** The file of the advertisement store is somebody else's, or can't be read or written. */
    STORE_UNAVAILABLE(28, Remedy.CHANGE_CALL),
    /** The home directory is in use by another running peer. */
    HOME_IN_USE(30, Remedy.CHANGE_CALL),

    /** The peer broke the wire protocol. */
    PROTOCOL_VIOLATION(40, Remedy.DROP_PEER),
    /** The peer could not prove to be who it should be. */
    IDENTITY_REFUSED(41, Remedy.DROP_PEER),
    /** A message could not be decoded. */
    MALFORMED_MESSAGE(42, Remedy.DROP_PEER),
    /** The peer went past a limit it knows. */
    LIMIT_EXCEEDED(43, Remedy.DROP_PEER),
    /** The peer speaks no version of the protocol that this one does. */
    VERSION_UNSUPPORTED(44, Remedy.DROP_PEER),
    /** An advertisement could not be read, or contradicts itself. */
    MALFORMED_ADVERTISEMENT(45, Remedy.DROP_PEER),
    /** A signature is not that of the peer that it should be of. */
    SIGNATURE_REFUSED(46, Remedy.DROP_PEER),
    /** A signed statement is past its time. */
    EXPIRED(47, Remedy.DROP_PEER),
    /** A signed statement is dated in the future. */
    NOT_YET_VALID(48, Remedy.DROP_PEER),
    /** An advertisement is not newer than the one that is known. */
    STALE_ADVERTISEMENT(49, Remedy.DROP_PEER);

    /** What the caller can do about a failure. */
    public enum Remedy {
        /** The same call may succeed later. */
        RETRY,
        /** The call, the configuration or the class path has to change. */
        CHANGE_CALL,
        /** The other side misbehaves: nothing helps but to stop talking to it. */
        DROP_PEER
    }

    private final int number;
    private final Remedy remedy;

    ErrorCode(int number, Remedy remedy) {
        this.number = number;
        this.remedy = remedy;
    }

    /** The number on the wire. */
    public int number() {
        return number;
    }

    /** What the caller can do. */
    public Remedy remedy() {
        return remedy;
    }

    /** The code with that number, or {@code null} when this version does not know it. */
    public static @Nullable ErrorCode ofNumber(int number) {
        for (ErrorCode code : values()) {
            if (code.number == number) {
                return code;
            }
        }
        return null;
    }

    /** An exception of the class that fits the {@link #remedy}. */
    public ParleyException exception(String message) {
        return exception(message, null);
    }

    /** An exception of the class that fits the {@link #remedy}, with its cause. */
    public ParleyException exception(String message, @Nullable Throwable cause) {
        return switch (remedy) {
            case RETRY -> new RetryableException(this, message, cause);
            case CHANGE_CALL -> new InvalidCallException(this, message, cause);
            case DROP_PEER -> new PeerFaultException(this, message, cause);
        };
    }
}
