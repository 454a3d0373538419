package io.parley.transport.udp;

import io.parley.id.PeerId;

/** The key of a propagated message: its sender and a number that the sender has drawn at random. */
record MessageKey(PeerId sender, long number) {}
