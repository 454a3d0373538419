package io.parley.pipes;

import io.parley.id.PeerId;
import io.parley.message.Message;
import java.util.Optional;

/**
 * A message that came through a pipe.
 *
 * @param from    the peer that sent it, as its connection has proven
 * @param message what it sent; ordinary memory, which may be kept, unless the listener {@linkplain Pipes#listenZeroCopy
 *     borrows}
 */
public record PipeMessage(PeerId from, Message message) {

    /** The text of the message's first element of that name, if there is one. */
    public Optional<String> text(String name) {
        return message.text(name);
    }
}
