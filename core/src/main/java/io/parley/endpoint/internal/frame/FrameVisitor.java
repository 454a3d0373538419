package io.parley.endpoint.internal.frame;

import io.netty.buffer.ByteBuf;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;

/**
 * Hears what {@link FrameReader} found, one method per kind of frame. Buffers are borrowed for the call. A kind that is
 * not overridden has no place in the present state of the connection and breaks the protocol.
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
    default void onReject(WireStatus refusal) {
        throw unexpected("REJECT");
    }

    /** GOODBYE. */
    default void onGoodbye(WireStatus reason) {
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

    /** OPEN; the codec is that of the connection where the name is empty. */
    default void onOpen(int handle, ServiceAddress service, String codec) {
        throw unexpected("OPEN");
    }

    /** OPENED. */
    default void onOpened(int handle, long window) {
        throw unexpected("OPENED");
    }

    /** REFUSE. */
    default void onRefuse(int handle, WireStatus refusal) {
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
    default void onFirst(int handle, long total, ByteBuf piece) {
        throw unexpected("FIRST");
    }

    /** MORE. */
    default void onMore(int handle, ByteBuf piece) {
        throw unexpected("MORE");
    }

    /** CREDIT. */
    default void onCredit(int handle, long bytes) {
        throw unexpected("CREDIT");
    }

    private static RuntimeException unexpected(String type) {
        return ErrorCode.PROTOCOL_VIOLATION.exception("unexpected " + type + " frame");
    }
}
