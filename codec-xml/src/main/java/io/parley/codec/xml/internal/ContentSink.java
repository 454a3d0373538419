package io.parley.codec.xml.internal;

import io.parley.message.Payload;

/** Takes the characters inside an element, in pieces of any size, and makes the element's bytes of them. */
public interface ContentSink {

    /**
     * Takes the next characters (borrowed for this call).
     *
     * @throws io.parley.error.PeerFaultException when they can't be what the element should hold, or are too many
     */
    void append(char[] chars, int offset, int length);

    /**
     * What was taken.
     *
     * @throws io.parley.error.PeerFaultException when it is not complete
     */
    Payload finish();
}
