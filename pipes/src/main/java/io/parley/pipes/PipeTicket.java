package io.parley.pipes;

import io.parley.id.PipeId;
import io.parley.transport.PeerAddress;

/**
 * A pipe id and the address of its holder, which are sufficient to connect. The text form,
 * {@code <pipe id>:<peer id>@tcp://host:port}, can be copied and pasted.
 *
 * @param pipe   the pipe id
 * @param holder the peer that has the input pipe open
 */
public record PipeTicket(PipeId pipe, PeerAddress holder) {

    /**
     * Parses the text form.
     *
     * @throws IllegalArgumentException if {@code text} is not a ticket; the message states why
     */
    public static PipeTicket parse(String text) {
        String stripped = text.strip();
        int colon = stripped.indexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException(
                    "ticket: no ':' (expected: <pipe id>:<peer id>@<address>, as printed by the holder)");
        }
        return new PipeTicket(
                PipeId.parse(stripped.substring(0, colon)), PeerAddress.parse(stripped.substring(colon + 1)));
    }

    /** Returns the text form, which {@link #parse} parses. */
    @Override
    public String toString() {
        return pipe.text() + ":" + holder;
    }
}
