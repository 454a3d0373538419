package io.parley.transport.udp;

import io.parley.id.PeerId;

/**
 * The key of a propagated message: its sender and a number that the sender has drawn at random. A hostile sender chooses
 * numbers of one hash; keys are comparable, so a hash table still finds them in logarithmic time.
 */
record MessageKey(PeerId sender, long number) implements Comparable<MessageKey> {

    @Override
    public int compareTo(MessageKey other) {
        int bySender = sender.compareTo(other.sender);
        return bySender != 0 ? bySender : Long.compare(number, other.number);
    }
}
