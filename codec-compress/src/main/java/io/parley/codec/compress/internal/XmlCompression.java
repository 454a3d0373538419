package io.parley.codec.compress.internal;

import java.nio.ByteBuffer;

/** A compression of XML documents. Thread-safe. */
interface XmlCompression {

    /**
     * Compresses a document.
     *
     * @return false if it cannot be restored byte for byte, because it is not XML for example, or if the output is full
     */
    boolean compress(byte[] document, GrowingArray out);

    /**
     * Restores a document, for which the output has exactly the room that the sender has stated.
     *
     * @param in all of them belong to the document
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE or LIMIT_EXCEEDED
     */
    void expand(ByteBuffer in, GrowingArray out);
}
