package io.parley.encoding;

import io.parley.id.PeerId;

/**
 * The channel to which the instance of a scheme belongs, and the element that is processed. Both peers see the same values, so a
 * scheme may authenticate them. The position is valid during {@link EncodingScheme#encode} and {@link EncodingScheme#decode}, on
 * the thread of the call, for a scheme that keeps state.
 */
public interface EncodingChannel {

    /** Returns the peer that encodes. */
    PeerId sender();

    /** Returns the peer that decodes. */
    PeerId receiver();

    /** Returns the name of the service that receives the messages: {@code pipe} for a pipe. */
    String service();

    /** Returns the parameter of the service: the text of the pipe id for a pipe. */
    String parameter();

    /** Returns the number of messages of the channel that precede the message of the element. It never repeats on a channel. */
    long messageNumber();

    /** Returns the number of elements that precede the element in its message. */
    int elementIndex();
}
