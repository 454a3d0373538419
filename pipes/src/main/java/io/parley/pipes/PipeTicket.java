package io.parley.pipes;

import io.parley.id.PipeId;
import io.parley.transport.PeerAddress;

/**
 * All that is needed to connect to a pipe whose holder is known: which pipe, which peer, and where. The text form,
 * {@code <pipe id>:<peer id>@tcp://host:port}, survives copy and paste.
 *
 * @param pipe   the pipe
 * @param holder the peer that has its input end
 */
public record PipeTicket(PipeId pipe, PeerAddress holder) {

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException naming what is wrong
     */
    public static PipeTicket parse(String text) {
        String stripped = text.strip();
        int colon = stripped.indexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException(
                    "ticket: no ':' in it (expected: <pipe id>:<peer id>@<address>, as the other side printed it)");
        }
        return new PipeTicket(
                PipeId.parse(stripped.substring(0, colon)), PeerAddress.parse(stripped.substring(colon + 1)));
    }

    /** The text form, which {@link #parse} reads. */
    @Override
    public String toString() {
        return pipe.text() + ":" + holder;
    }
}
