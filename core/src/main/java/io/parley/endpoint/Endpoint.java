package io.parley.endpoint;

import io.parley.common.AsyncCloseable;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Sends messages to named services of other peers and receives them for the services of this one. All services of a pair
 * of peers share one connection, which is made when it is first needed and made again when it was lost. All methods may
 * be called from any thread.
 *
 * <p>Delivery is at most once and in order per messenger. A message that was handed to the network when its connection
 * broke may be lost; what must not be lost is acknowledged by the layer above.
 */
public interface Endpoint extends AsyncCloseable {

    /** Returns a builder. It needs an identity. */
    static EndpointBuilder builder() {
        return new EndpointBuilder();
    }

    /** This peer. */
    PeerId peerId();

    /** The addresses this peer listens on, with real ports; wildcard hosts replaced by this machine's addresses. */
    List<EndpointAddress> addresses();

    /** {@link #peerId()} and {@link #addresses()}: what another peer needs to connect. */
    PeerAddress peerAddress();

    /** The names of the message codecs that this peer has, in order of preference. */
    List<String> codecs();

    /** Returns the schemes of the addresses that the transports of this peer serve. */
    Set<String> schemes();

    /**
     * Remembers where a peer can be reached, in front of what was known. The table is bounded by
     * {@link EndpointLimits#maxKnownPeers()}; the peer unused for longest is forgotten. What waits for a connection to that peer
     * tries a new address at once.
     */
    void addPeerAddress(PeerAddress address);

    /**
     * Receives what other peers send to a service of this peer.
     *
     * @return closing it ends the service
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#ALREADY_BOUND}
     */
    AsyncCloseable listen(ServiceAddress service, EndpointListener listener);

    /**
     * As {@link #listen(ServiceAddress, EndpointListener)}, with another window for each sender than
     * {@link EndpointLimits#windowBytes()}: a service that hears little from many has a small one.
     *
     * @param windowBytes {@link EndpointLimits#MIN_WINDOW_BYTES} to {@link EndpointLimits#peerMemoryBytes()}, of which it is a part
     * @throws IllegalArgumentException when it is not within that range
     */
    AsyncCloseable listen(ServiceAddress service, int windowBytes, EndpointListener listener);

    /**
     * As {@link #listen}, for a listener that is done with a message when it returns. The message is lent: as far as its
     * codec allows (the binary one does), it is not copied out of the memory into which the network has read it, and
     * {@link io.parley.message.Payload#isBorrowed} says what becomes of that. When the listener returns, or throws, the message
     * counts as released.
     */
    AsyncCloseable listenZeroCopy(ServiceAddress service, EndpointListener listener);

    /**
     * The way to one service of one peer. Costs nothing until something is sent or {@link Messenger#resolve} is called.
     */
    Messenger messenger(PeerId peer, ServiceAddress service);

    /**
     * As {@link #messenger(PeerId, ServiceAddress)}, in the first of these message codecs that the other peer has too,
     * instead of the one that both peers have agreed on for their connection. Without one in common it fails as if the
     * service were not there, with {@link io.parley.error.ErrorCode#NO_COMMON_CODEC}.
     *
     * @param codecs names in order of preference; none: as agreed
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#NO_COMMON_CODEC} when this peer does
     *     not have one of them
     */
    Messenger messenger(PeerId peer, ServiceAddress service, List<String> codecs);

    /**
     * Sends one message through a messenger that the endpoint keeps for this peer and service.
     *
     * @see Messenger#send(Message)
     */
    CompletableFuture<Void> send(PeerId peer, ServiceAddress service, Message message);

    /** Makes sure that there is a connection; fails with the reason when there can't be. */
    CompletableFuture<Void> connect(PeerId peer);

    /**
     * Connects to whoever answers at an address, and remembers that this peer can be reached there. For the few addresses
     * that are known without an id, such as that of a first rendezvous.
     *
     * @return completes with the peer that has answered, when it is connected; fails with the reason when it can't be, and
     *     with {@link io.parley.error.ErrorCode#IDENTITY_REFUSED} where the transport does not prove who answers, or this
     *     peer itself does
     */
    CompletableFuture<PeerId> connect(EndpointAddress address);

    /** Measures a round trip through both endpoints, connecting first when it must. */
    CompletableFuture<Duration> ping(PeerId peer);

    /** The peers that are connected now. */
    Set<PeerId> connectedPeers();

    /**
     * Tells the listener from now on which peers become connected, and which are no longer. Every connection of another
     * peer begins and ends once, one after the other: when a newer one takes the place of one whose loss has not been
     * noticed, that ends first. For those connected before see {@link #connectedPeers()}.
     *
     * @return closing it ends that, as does closing the endpoint, after all connections have ended
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#CLOSED}
     */
    AsyncCloseable addPeerConnectionListener(PeerConnectionListener listener);

    /** What has been counted. */
    EndpointMetrics metrics();

    /** The bounds in force. */
    EndpointLimits limits();
}
