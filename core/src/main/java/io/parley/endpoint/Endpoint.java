package io.parley.endpoint;

import io.parley.common.AsyncCloseable;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Sends messages to named services of remote peers and receives messages for the services of this peer. All services of a
 * pair of peers share one connection. The endpoint opens it on first use and reopens it after a loss. Thread-safe.
 *
 * <p>A message that was sent has arrived: the remote endpoint has acknowledged it, and passes it to the service once and in the
 * order of the messenger, also if connections break meanwhile. See {@link Messenger#send(Message)}.
 */
public interface Endpoint extends AsyncCloseable {

    /** Returns a builder. It needs an identity. */
    static EndpointBuilder builder() {
        return new EndpointBuilder();
    }

    /** Returns the id of this peer. */
    PeerId peerId();

    /**
     * Returns the {@linkplain EndpointBuilder#publicAddress public addresses}, and then those on which this peer listens, with actual ports.
     * Wildcard hosts are replaced by local addresses.
     */
    List<EndpointAddress> addresses();

    /** Returns {@link #peerId()} and {@link #addresses()}, which another peer needs to connect. */
    PeerAddress peerAddress();

    /** Returns the names of the message codecs of this peer, in order of preference. */
    List<String> codecs();

    /** Returns the schemes of the addresses that the transports of this peer serve. */
    Set<String> schemes();

    /**
     * Adds addresses of a peer in front of its known addresses. The table holds {@link EndpointLimits#maxKnownPeers()}
     * peers and evicts the least recently used one. If a connection to the peer is pending, a new address is tried
     * immediately.
     */
    void addPeerAddress(PeerAddress address);

    /**
     * Registers the listener of a service of this peer, with {@link ServiceOptions#DEFAULTS}. See {@link ReceivedMessage} for the rules for
     * the listener.
     *
     * @return the registration. Closing it ends the service. It is closed when the listener has returned and will not be
     *     called again
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#ALREADY_BOUND} if the service has a
     *     listener
     */
    default AsyncCloseable listen(ServiceAddress service, Consumer<ReceivedMessage> listener) {
        return listen(service, ServiceOptions.DEFAULTS, listener);
    }

    /**
     * Registers the listener of a service as {@link #listen(ServiceAddress, Consumer)} does, with other options.
     *
     * @throws IllegalArgumentException if the window is out of range
     */
    default AsyncCloseable listen(ServiceAddress service, ServiceOptions options, Consumer<ReceivedMessage> listener) {
        ChannelListener shared = listener::accept;
        return listenToChannels(service, options, sender -> shared);
    }

    /**
     * Registers the listeners of a service, one for each channel of a sender. Such a listener also learns the end of its channel, and
     * the acceptor can refuse senders. This costs nothing for a message; a channel keeps a reference to its listener.
     *
     * @param acceptor called for each channel, and for present ones when the service was closed and is registered again
     * @return the registration, as in {@link #listen(ServiceAddress, Consumer)}
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#ALREADY_BOUND} if the service has a
     *     listener
     * @throws IllegalArgumentException if the window is out of range
     */
    AsyncCloseable listenToChannels(ServiceAddress service, ServiceOptions options, ChannelAcceptor acceptor);

    /** Returns a new messenger with {@link MessengerOptions#DEFAULTS}, as the other method does. */
    default Messenger messenger(PeerId peer, ServiceAddress service) {
        return messenger(peer, service, MessengerOptions.DEFAULTS);
    }

    /**
     * Returns a new messenger to one service of one peer. It uses no network until the first
     * {@link Messenger#send(Message)} or {@link Messenger#resolve()}.
     *
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#NO_COMMON_CODEC} if this peer does not
     *     have all of the codecs
     * @throws IllegalArgumentException if the options contradict each other: a best-effort messenger has a scheme that keeps state, or a
     *     reliable one a time to live
     */
    Messenger messenger(PeerId peer, ServiceAddress service, MessengerOptions options);

    /**
     * Sends one message through a messenger that the endpoint caches for this peer and service.
     *
     * @see Messenger#send(Message)
     */
    CompletableFuture<Void> send(PeerId peer, ServiceAddress service, Message message);

    /**
     * Sends one message as {@link #send} does, through a messenger with {@linkplain MessengerOptions#withSecureChannels secure
     * channels}.
     */
    CompletableFuture<Void> sendSecurely(PeerId peer, ServiceAddress service, Message message);

    /** Opens a connection unless there is one. The future fails with the reason if the peer is unreachable. */
    CompletableFuture<Void> connect(PeerId peer);

    /**
     * Connects to the peer at an address and adds the address to the known addresses of that peer. Intended for addresses
     * that are configured without a peer id, such as the address of a seed.
     *
     * @return a future that completes with the id of the remote peer when it is connected. It fails immediately with
     *     {@link io.parley.error.ErrorCode#NO_TRANSPORT} if no transport serves the scheme, with
     *     {@link io.parley.error.ErrorCode#IDENTITY_REFUSED} if the transport does not authenticate the remote peer or the
     *     address is an address of this peer, and otherwise with the reason if the address is unreachable. Cancelling it
     *     abandons the dial; a connection that is open already is kept
     */
    CompletableFuture<PeerId> connect(EndpointAddress address);

    /** Measures a round trip through both endpoints. Connects first if there is no connection. */
    CompletableFuture<Duration> ping(PeerId peer);

    /** Returns whether a peer is connected now. Takes the same short time however many peers are connected. */
    boolean isConnected(PeerId peer);

    /** Returns the peers that are connected now, as a new set. */
    Set<PeerId> connectedPeers();

    /** Returns the address of the other end of the connection to a peer; empty if there is none. */
    Optional<EndpointAddress> remoteAddress(PeerId peer);

    /**
     * Returns a random number that the remote endpoint drew when it started; empty if there is no connection. A number that differs
     * from an earlier one of the same peer means that the peer has restarted, and has lost its state.
     */
    OptionalLong remoteInstance(PeerId peer);

    /**
     * Registers a listener for connects and disconnects from now on. The events of one peer alternate: if a new connection
     * replaces one whose loss was not noticed, the disconnect of the old one comes first. See {@link #connectedPeers()} for
     * peers that are connected already.
     *
     * @return the registration. Closing it ends the notification; a call in progress on another thread may still complete.
     *     Closing the endpoint closes the registration after all connections have ended
     * @throws io.parley.error.InvalidCallException {@link io.parley.error.ErrorCode#CLOSED} if the endpoint is closing
     */
    AsyncCloseable addPeerConnectionListener(PeerConnectionListener listener);

    /** Returns the counters of the endpoint. */
    EndpointMetrics metrics();

    /** Returns the limits of the endpoint. */
    EndpointLimits limits();
}
