package io.parley.pipes.internal.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The number of channels for responses, with requesters on hosts that the test invents. */
class ResponseChannelRegistryTest {

    private static final int INBOXES = RequestFormat.MAX_INBOXES;

    private final ManualScheduler time = new ManualScheduler();
    private final Map<PeerId, String> hosts = new HashMap<>();
    private final List<PeerId> closed = new ArrayList<>();
    private final PeerId self = Identity.generate().peerId();
    private PeerConnectionListener connections = new PeerConnectionListener() {};
    private boolean closing;

    /** Whether the next message is sent through a channel that is closed at that time. */
    private boolean closesAtSend;

    private final Endpoint endpoint = proxy(Endpoint.class, (method, arguments) -> switch (method) {
        case "addPeerConnectionListener" -> {
            connections = (PeerConnectionListener) arguments[0];
            yield proxy(AsyncCloseable.class, (same, none) -> CompletableFuture.completedFuture(null));
        }
        case "peerId" -> self;
        case "limits" -> EndpointLimits.DEFAULTS;
        case "isConnected" -> hosts.containsKey((PeerId) arguments[0]);
        case "remoteAddress" ->
            Optional.ofNullable(hosts.get((PeerId) arguments[0])).map(host -> new EndpointAddress("tcp", host, 1));
        case "messenger" -> messenger((PeerId) arguments[0], (ServiceAddress) arguments[1]);
        default -> throw new UnsupportedOperationException(method);
    });

    private final ResponseChannelRegistry registry =
            new ResponseChannelRegistry(proxy(PeerGroup.class, (method, arguments) -> switch (method) {
                case "endpoint" -> endpoint;
                case "scheduler" -> time;
                case "workExecutor" -> (Executor) Runnable::run;
                default -> throw new UnsupportedOperationException(method);
            }));

    private interface Handler {

        Object handle(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> handler.handle(method.getName(), arguments)));
    }

    private Messenger messenger(PeerId peer, ServiceAddress service) {
        AtomicBoolean isClosed = new AtomicBoolean();
        return proxy(Messenger.class, (method, arguments) -> switch (method) {
            case "isClosing" -> closing || isClosed.get();
            case "send" -> {
                boolean closesNow = closesAtSend;
                closesAtSend = false;
                isClosed.compareAndSet(false, closesNow);
                yield closing || isClosed.get()
                        ? CompletableFuture.failedFuture(ErrorCode.CLOSED.exception("closed"))
                        : CompletableFuture.completedFuture(null);
            }
            case "isWritable" -> true;
            case "closeAsync" -> {
                closed.add(peer);
                yield CompletableFuture.completedFuture(null);
            }
            case "abort" -> closed.add(peer);
            case "toString" -> "messenger to " + service;
            default -> throw new UnsupportedOperationException(method);
        });
    }

    private PeerId requester(String host) {
        PeerId peer = Identity.generate().peerId();
        hosts.put(peer, host);
        return peer;
    }

    private ResponseChannel open(PeerId requester, int inbox) {
        return registry.channel(new ResponseInbox(requester, inbox, PipeSecurity.PLAIN));
    }

    /** Opens as many channels as there may be, for many identities of one host. */
    private List<PeerId> fill(String host) {
        List<PeerId> requesters = new ArrayList<>();
        while (registry.channelCount() < ResponseChannelRegistry.MAX_CHANNELS) {
            PeerId requester = requester(host);
            requesters.add(requester);
            for (int inbox = 0; inbox < INBOXES; inbox++) {
                open(requester, inbox);
            }
        }
        return requesters;
    }

    @Test
    void hostWithAllChannels_givesWayToOtherHosts_upToTheirShares() {
        List<PeerId> many = fill("198.51.100.1");
        assertThatThrownBy(() -> open(requester("198.51.100.1"), 0))
                .isInstanceOf(ParleyException.class)
                .hasMessageContaining("8193 (expected: <= 8192");
        PeerId honest = requester("192.0.2.1");
        ResponseChannel channel = open(honest, 0);
        assertThat(open(honest, 0)).isSameAs(channel);
        assertThat(registry.channelCount()).isEqualTo(ResponseChannelRegistry.MAX_CHANNELS);
        assertThat(closed).hasSize(1);
        assertThat(many).contains(closed.get(0));
    }

    @Test
    void channelsThatAreClosed_orWhoseRequestersAreGone_doNotCount() {
        for (PeerId requester : fill("198.51.100.1")) {
            hosts.remove(requester);
            connections.onDisconnected(requester);
        }
        time.advance(endpoint.limits().reconnectTimeout());
        assertThat(registry.channelCount()).isZero();
        fill("198.51.100.2");
        closing = true;
        PeerId last = Objects.requireNonNull(hosts.keySet().iterator().next(), "a requester");
        for (int inbox = 0; inbox < INBOXES; inbox++) {
            open(last, inbox);
        }
        assertThat(registry.channelCount()).isEqualTo(ResponseChannelRegistry.MAX_CHANNELS);
    }

    /** As when another host gets the place of the channel between the two steps of a response. */
    @Test
    void channelThatIsClosedBeforeTheResponseIsSent_isOpenedAgain() {
        ResponseInbox inbox = new ResponseInbox(requester("192.0.2.1"), 0, PipeSecurity.PLAIN);
        ResponseTarget target = new ResponseTarget(registry, inbox, 1, 0, 1);
        ResponseChannel before = target.channel();
        closesAtSend = true;
        assertThat(target.respond(Message.of("text", "yes"))).isCompleted().isNotCompletedExceptionally();
        assertThat(target.channel()).isNotSameAs(before);
        closing = true;
        assertThat(target.respond(Message.of("text", "no"))).isCompletedExceptionally();
    }
}
