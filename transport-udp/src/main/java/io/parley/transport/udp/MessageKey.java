package io.parley.transport.udp;

import io.parley.id.PeerId;

/** Which propagated message it is: a number that its sender has drawn at random. */
record MessageKey(PeerId sender, long number) {}
