package io.parley.endpoint.internal.frame;

import java.util.List;
import java.util.OptionalLong;

/**
 * The content of an OPENED frame.
 *
 * @param window    the window that the receiver grants, in bytes
 * @param received  the number of messages that the receiver has of a channel that is resumed; empty if it does not know the channel
 * @param schemes   the names of the encoding schemes of OPEN that the receiver has, in any order; empty if elements are not encoded
 * @param stateKept whether the receiver has the state of these schemes after the received messages
 */
public record Opened(long window, OptionalLong received, List<String> schemes, boolean stateKept) {

    /** Returns the response to an opening without encoding schemes. */
    public static Opened plain(long window, OptionalLong received) {
        return new Opened(window, received, List.of(), false);
    }

    TaggedFields toFields() {
        TaggedFields fields = new TaggedFields().number(FrameWriter.WINDOW, window);
        received.ifPresent(count -> fields.number(FrameWriter.RECEIVED, count));
        schemes.forEach(name -> fields.text(FrameWriter.CHOSEN_SCHEME, name));
        if (stateKept) {
            fields.number(FrameWriter.STATE_KEPT, 1);
        }
        return fields;
    }

    static Opened of(TaggedFields fields) {
        return new Opened(
                fields.requiredNumber(FrameWriter.WINDOW, "window"),
                fields.optionalNumber(FrameWriter.RECEIVED),
                fields.texts(FrameWriter.CHOSEN_SCHEME),
                fields.number(FrameWriter.STATE_KEPT).orElse(0L) == 1);
    }
}
