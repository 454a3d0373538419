package io.parley.codec.xml.internal;

import io.parley.message.Payload;

/** Converts the characters in an element, which arrive in parts of any size, to the bytes of the element. */
public interface ContentSink {

    /**
     * Appends characters. {@code chars} is borrowed for this call.
     *
     * @throws io.parley.error.PeerFaultException if the characters are invalid for the element, or too many
     */
    void append(char[] chars, int offset, int length);

    /**
     * Returns the bytes of the element.
     *
     * @throws io.parley.error.PeerFaultException if the characters are incomplete
     */
    Payload finish();
}
