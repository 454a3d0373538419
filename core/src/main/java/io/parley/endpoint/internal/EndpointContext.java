package io.parley.endpoint.internal;

import io.netty.util.concurrent.EventExecutor;
import io.parley.codec.MessageCodec;
import io.parley.endpoint.EndpointLimits;
import io.parley.id.PeerId;
import io.parley.transport.EndpointMetrics;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What the parts of one endpoint share.
 *
 * @param self     this peer
 * @param instance tells this run of the peer from an earlier one
 * @param codecs   the message codecs in order of preference
 * @param timer    runs dialing and its delays, never anything that takes time
 */
record EndpointContext(
        PeerId self,
        long instance,
        EndpointLimits limits,
        EndpointMetrics metrics,
        List<MessageCodec> codecs,
        ServiceRegistry services,
        AddressBook addresses,
        ConnectionEventDispatcher presence,
        PeerBudgets memory,
        EventExecutor timer,
        RandomGenerator random) {

    /** The largest frame on an open link: a piece of a message and its header. */
    static final int MAX_FRAME_BYTES = OutboundChannel.PIECE_BYTES + 64;

    /** The largest message that fits an array. */
    static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;
}
