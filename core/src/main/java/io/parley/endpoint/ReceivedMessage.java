package io.parley.endpoint;

import io.parley.id.PeerId;
import io.parley.message.Message;

/** A message and who sent it. */
public interface ReceivedMessage {

    /** The sender. */
    PeerId from();

    /** The message: ordinary memory, which may be kept, unless the listener {@linkplain Endpoint#listenZeroCopy borrows}. */
    Message message();

    /** Lets the sender send as much again. From any thread; a second call does nothing. */
    void release();
}
