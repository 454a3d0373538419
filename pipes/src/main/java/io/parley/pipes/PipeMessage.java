package io.parley.pipes;

import io.parley.id.PeerId;
import io.parley.message.Message;
import java.util.Optional;

/**
 * A message that was received through a pipe.
 *
 * @param from    the sender, authenticated by its connection
 * @param message the message; its memory may be kept, unless the listener {@linkplain Pipes#listenZeroCopy borrows} it
 */
public record PipeMessage(PeerId from, Message message) {

    /** Returns the text of the first element of that name; empty if there is none. */
    public Optional<String> text(String name) {
        return message.text(name);
    }
}
