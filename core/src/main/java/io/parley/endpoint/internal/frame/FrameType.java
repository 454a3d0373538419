package io.parley.endpoint.internal.frame;

/** The first byte of a frame. A receiver ignores unknown types from 0x80 on, and rejects other unknown types. */
final class FrameType {

    static final int HELLO = 0x01;
    static final int ACCEPT = 0x02;
    static final int REJECT = 0x03;
    static final int GOODBYE = 0x04;
    static final int PING = 0x05;
    static final int PONG = 0x06;

    static final int OPEN = 0x10;
    static final int OPENED = 0x11;
    static final int REFUSE = 0x12;
    static final int END = 0x13;

    static final int MESSAGE = 0x20;
    static final int FIRST = 0x21;
    static final int MORE = 0x22;
    static final int CREDIT = 0x23;
    static final int ACK = 0x24;
    static final int BLOCKED = 0x25;
    static final int SHRINK = 0x26;
    static final int SHRUNK = 0x27;
    static final int SEALED = 0x28;

    static final int FIRST_IGNORABLE = 0x80;

    private FrameType() {}
}
