package io.parley.endpoint.internal.frame;

import io.netty.buffer.ByteBuf;
import io.parley.common.internal.WireStatus;
import io.parley.error.ErrorCode;
import java.util.OptionalLong;

/**
 * Receives the frames that {@link FrameReader} decodes, with one method per frame type. Buffers are borrowed for the call.
 * A type whose method is not overridden violates the protocol in the current state of the connection.
 */
public interface FrameVisitor {

    /** HELLO. */
    default void onHello(Hello hello) {
        throw unexpected("HELLO");
    }

    /** ACCEPT. */
    default void onAccept(Hello hello) {
        throw unexpected("ACCEPT");
    }

    /** REJECT. */
    default void onReject(WireStatus status) {
        throw unexpected("REJECT");
    }

    /** GOODBYE. */
    default void onGoodbye(WireStatus status) {
        throw unexpected("GOODBYE");
    }

    /** PING. */
    default void onPing(long number) {
        throw unexpected("PING");
    }

    /** PONG. */
    default void onPong(long number) {
        throw unexpected("PONG");
    }

    /** OPEN. */
    default void onOpen(int handle, Open open) {
        throw unexpected("OPEN");
    }

    /** OPENED. */
    default void onOpened(int handle, Opened opened) {
        throw unexpected("OPENED");
    }

    /** REFUSE. */
    default void onRefuse(int handle, WireStatus status, OptionalLong received) {
        throw unexpected("REFUSE");
    }

    /** END. */
    default void onEnd(int handle) {
        throw unexpected("END");
    }

    /** MESSAGE. */
    default void onMessage(int handle, ByteBuf encoded) {
        throw unexpected("MESSAGE");
    }

    /** FIRST. */
    default void onFirst(int handle, long total, ByteBuf fragment) {
        throw unexpected("FIRST");
    }

    /** MORE. */
    default void onMore(int handle, ByteBuf fragment) {
        throw unexpected("MORE");
    }

    /** CREDIT. */
    default void onCredit(int handle, long bytes) {
        throw unexpected("CREDIT");
    }

    /** ACK. */
    default void onAck(int handle, long count, long credit) {
        throw unexpected("ACK");
    }

    /** BLOCKED. */
    default void onBlocked(int handle) {
        throw unexpected("BLOCKED");
    }

    /** SHRINK. */
    default void onShrink(int handle, long bytes) {
        throw unexpected("SHRINK");
    }

    /** SHRUNK. */
    default void onShrunk(int handle, long bytes) {
        throw unexpected("SHRUNK");
    }

    /** SEALED. */
    default void onSealed(ByteBuf records) {
        throw unexpected("SEALED");
    }

    private static RuntimeException unexpected(String type) {
        return ErrorCode.PROTOCOL_VIOLATION.exception("unexpected " + type + " frame");
    }
}
