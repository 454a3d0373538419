package io.parley.endpoint.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.common.AsyncCloseable;
import io.parley.endpoint.ChannelAcceptor;
import io.parley.endpoint.ChannelListener;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.internal.link.Link;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The life of inbound channels, in manual time. */
@Timeout(60)
class ChannelListenerTest {

    private static final ServiceAddress SERVICE = ServiceAddress.of("service");
    private static final ServiceAddress OTHER = ServiceAddress.of("other");
    private static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS;
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration STEP = Duration.ofSeconds(5);

    /** Longer than a lost peer is remembered, and its silence unnoticed. */
    private static final Duration LONG =
            LIMITS.resumeTimeout().plus(LIMITS.keepAliveInterval().multipliedBy(5));

    private final ManualScheduler scheduler = new ManualScheduler(
            new ManualClock(Instant.parse("2026-11-24T12:00:00Z")), new Random(Long.getLong("parley.test.seed", 1)));
    private final InMemoryNetwork network =
            new InMemoryNetwork(new ManualEventLoops(scheduler, 2), Duration.ofMillis(2));
    private final List<PeerEndpoint> endpoints = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final Identity senderIdentity = Identity.generate();
    private final PeerEndpoint receiver = start(Identity.generate(), "receiver");
    private final PeerEndpoint sender = start(senderIdentity, "sender");

    private PeerEndpoint start(Identity identity, String address) {
        PeerEndpoint endpoint =
                EndpointFixture.startInManualTime(identity, LIMITS, new BinaryMessageCodec(), network, scheduler);
        CompletableFuture<Void> listening = endpoint.listen(EndpointAddress.parse("mem://" + address));
        scheduler.advance(SHORT);
        assertThat(listening).isCompleted();
        endpoints.add(endpoint);
        endpoints.forEach(other -> endpoint.addPeerAddress(other.peerAddress()));
        return endpoint;
    }

    @AfterEach
    void close() {
        endpoints.forEach(Endpoint::closeAsync);
        advance(Duration.ofMinutes(1));
    }

    private void advance(Duration time) {
        Duration left = time;
        while (!left.isZero()) {
            Duration step = left.compareTo(STEP) < 0 ? left : STEP;
            scheduler.advance(step);
            left = left.minus(step);
        }
    }

    private final class Recorder implements ChannelListener {

        private final String name;

        Recorder(String name) {
            this.name = name;
            events.add(name + "opened");
        }

        @Override
        public void onMessage(ReceivedMessage message) {
            events.add(name + message.message().text("text").orElse("message"));
            message.release();
        }

        @Override
        public void onInterrupted() {
            events.add(name + "interrupted");
        }

        @Override
        public void onEnded() {
            events.add(name + "ended");
        }

        @Override
        public void onLost() {
            events.add(name + "lost");
        }
    }

    private AsyncCloseable listen(ServiceAddress service, ChannelAcceptor acceptor) {
        return receiver.listenToChannels(service, ServiceOptions.DEFAULTS, acceptor);
    }

    private void listen() {
        listen(SERVICE, peer -> new Recorder(""));
    }

    private Messenger messenger(ServiceAddress service) {
        return sender.messenger(receiver.peerId(), service);
    }

    private void send(Messenger messenger, String text) {
        CompletableFuture<Void> sent = messenger.send(Message.of("text", text));
        advance(SHORT);
        assertThat(sent).isCompleted();
    }

    private Link cut() {
        Link link = Objects.requireNonNull(
                Objects.requireNonNull(receiver.association(sender.peerId())).activeLink());
        link.abort(null);
        advance(SHORT);
        return link;
    }

    @Test
    void messengerCloses_channelEndsAfterTheLastMessage() {
        listen();
        Messenger messenger = messenger(SERVICE);
        messenger.send(Message.of("text", "1"));
        messenger.send(Message.of("text", "2"));
        messenger.closeAsync();
        advance(SHORT);
        assertThat(events).containsExactly("opened", "1", "2", "ended");
        advance(LONG);
        assertThat(events).hasSize(4);
    }

    @Test
    void connectionLost_senderResumes_isNoEnd() {
        listen();
        Messenger messenger = messenger(SERVICE);
        send(messenger, "1");
        cut();
        send(messenger, "2");
        messenger.closeAsync();
        advance(LONG);
        assertThat(events).containsExactly("opened", "1", "interrupted", "2", "ended");
    }

    @Test
    void connectionLost_idleSenderIsConnectedAgain_itsChannelResumesWithoutAMessage() {
        listen();
        listen(OTHER, peer -> new Recorder("other "));
        Messenger idle = messenger(SERVICE);
        send(idle, "1");
        cut();
        assertThat(events).containsExactly("opened", "1", "interrupted");
        send(messenger(OTHER), "2");
        advance(LONG);
        assertThat(events).containsExactly("opened", "1", "interrupted", "other opened", "other 2");
        idle.closeAsync();
        advance(SHORT);
        assertThat(events).endsWith("ended");
    }

    @Test
    void senderUnreachable_isLostOnceAfterTheResumeTimeout() {
        listen();
        send(messenger(SERVICE), "1");
        network.isolate(sender.peerId());
        advance(LIMITS.resumeTimeout());
        assertThat(events).doesNotContain("lost");
        advance(LONG);
        assertThat(events).containsExactly("opened", "1", "interrupted", "lost");
        advance(LONG);
        assertThat(events).hasSize(4);
    }

    @Test
    void senderLostAgain_beforeTheTimerOfTheFirstLoss_mayResumeForTheWholeTimeout() {
        listen();
        Messenger messenger = messenger(SERVICE);
        send(messenger, "1");
        cut();
        send(messenger, "2");
        advance(LIMITS.resumeTimeout().minus(STEP.multipliedBy(2)));
        network.isolate(sender.peerId());
        cut();
        advance(STEP.multipliedBy(4)); // past the timer of the first loss
        assertThat(events).containsExactly("opened", "1", "interrupted", "2", "interrupted");
        network.restore(sender.peerId());
        messenger.send(Message.of("text", "3"));
        advance(LIMITS.keepAliveInterval().multipliedBy(3).plus(STEP)); // the sender notices the loss
        assertThat(events).containsExactly("opened", "1", "interrupted", "2", "interrupted", "3");
    }

    @Test
    void senderRestarts_isLostWhenTheNewRunConnects() {
        listen();
        send(messenger(SERVICE), "1");
        cut();
        PeerEndpoint restarted = start(senderIdentity, "restarted");
        CompletableFuture<Void> connected = restarted.connect(receiver.peerId());
        advance(SHORT);
        assertThat(connected).isCompleted();
        assertThat(events).containsExactly("opened", "1", "interrupted", "lost");
    }

    @Test
    void senderRestarts_beforeTheLossIsNoticed_isLostAfterItsLastMessage() {
        listen();
        send(messenger(SERVICE), "1");
        PeerEndpoint restarted = start(senderIdentity, "restarted");
        CompletableFuture<Void> connected = restarted.connect(receiver.peerId());
        advance(SHORT);
        assertThat(connected).isCompleted();
        assertThat(events).containsExactly("opened", "1", "interrupted", "lost");
        advance(LONG);
        assertThat(events).hasSize(4);
    }

    @Test
    void manySenders_unreachable_areLostOnceEach() {
        int channels = 2000;
        listen();
        for (int i = 0; i < channels; i++) {
            messenger(SERVICE).send(Message.of("text", "1"));
        }
        advance(SHORT);
        network.isolate(sender.peerId());
        advance(LONG.plus(LONG));
        assertThat(events).filteredOn("opened"::equals).hasSize(channels);
        assertThat(events).filteredOn("lost"::equals).hasSize(channels);
    }

    @Test
    void acceptorRefuses_senderGetsItsCode_othersAreServed() {
        PeerEndpoint stranger = start(Identity.generate(), "stranger");
        PeerId friend = sender.peerId();
        listen(SERVICE, peer -> {
            if (!peer.equals(friend)) {
                throw ErrorCode.IDENTITY_REFUSED.exception("not invited");
            }
            return new Recorder("");
        });
        CompletableFuture<Void> refused =
                stranger.messenger(receiver.peerId(), SERVICE).send(Message.of("text", "0"));
        send(messenger(SERVICE), "1");
        assertThat(refused).isCompletedExceptionally();
        assertThat(ParleyException.unwrap(
                        refused.handle((done, failure) -> failure).join()))
                .hasMessageContaining("not invited")
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IDENTITY_REFUSED));
        assertThat(events).containsExactly("opened", "1");
    }

    @Test
    void acceptorFails_channelIsRefused_connectionStays() {
        listen(SERVICE, peer -> {
            throw new IllegalStateException("a bug");
        });
        listen(OTHER, peer -> new Recorder(""));
        CompletableFuture<Void> refused = messenger(SERVICE).send(Message.of("text", "0"));
        send(messenger(OTHER), "1");
        assertThat(refused).isCompletedExceptionally();
        assertThat(events).containsExactly("opened", "1");
        assertThat(receiver.reservedBytes())
                .as("memory of the channel that is open")
                .isEqualTo(EndpointLimits.MIN_WINDOW_BYTES);
    }

    private Messenger bestEffortMessenger() {
        return sender.messenger(
                receiver.peerId(),
                SERVICE,
                MessengerOptions.DEFAULTS.withDelivery(MessengerOptions.Delivery.DROP_OLDEST));
    }

    @Test
    void bestEffortChannel_endsWithItsMessenger_isLostWithItsConnection() {
        listen();
        Messenger first = bestEffortMessenger();
        send(first, "1");
        first.closeAsync();
        advance(SHORT);
        assertThat(events).containsExactly("opened", "1", "ended");
        send(bestEffortMessenger(), "2");
        cut();
        assertThat(events).containsExactly("opened", "1", "ended", "opened", "2", "lost");
    }

    @Test
    void serviceCloses_itsListenersAreNotCalledAgain() {
        AsyncCloseable registration = listen(SERVICE, peer -> new Recorder(""));
        send(messenger(SERVICE), "1");
        Messenger detached = messenger(SERVICE);
        send(detached, "2");
        registration.closeAsync();
        advance(SHORT);
        network.isolate(sender.peerId());
        advance(LONG);
        assertThat(registration.isClosed()).isTrue();
        assertThat(events).containsExactly("opened", "1", "opened", "2");
    }

    @Test
    void listenerClosesAllServices_whenItsConnectionIsLost_theConnectionEndsInFull() {
        List<AsyncCloseable> registrations = new ArrayList<>();
        for (ServiceAddress service : List.of(SERVICE, OTHER)) {
            registrations.add(listen(service, peer -> new ChannelListener() {
                @Override
                public void onMessage(ReceivedMessage message) {
                    message.release();
                }

                @Override
                public void onInterrupted() {
                    events.add("interrupted");
                    registrations.forEach(AsyncCloseable::closeAsync);
                }
            }));
            send(messenger(service), "1");
        }
        Link lost = cut();
        assertThat(lost.whenClosed()).isCompleted();
        assertThat(events).containsExactly("interrupted");
        assertThat(registrations).allMatch(AsyncCloseable::isClosed);
        assertThat(receiver.reservedBytes()).isZero();
    }

    @Test
    void serviceOpenedAgain_resumedChannelIsAcceptedAgain() {
        AsyncCloseable registration = listen(SERVICE, peer -> new Recorder("old "));
        Messenger messenger = messenger(SERVICE);
        send(messenger, "1");
        cut();
        registration.closeAsync();
        listen(SERVICE, peer -> new Recorder("new "));
        send(messenger, "2");
        assertThat(events).containsExactly("old opened", "old 1", "old interrupted", "new opened", "new 2");
    }

    @Test
    void listenerFails_channelContinues() {
        listen(SERVICE, peer -> new ChannelListener() {
            @Override
            public void onMessage(ReceivedMessage message) {
                events.add("message");
                throw new IllegalStateException("a bug");
            }

            @Override
            public void onEnded() {
                events.add("ended");
                throw new IllegalStateException("a bug");
            }
        });
        Messenger messenger = messenger(SERVICE);
        send(messenger, "1");
        send(messenger, "2");
        messenger.closeAsync();
        advance(SHORT);
        send(messenger(SERVICE), "3");
        assertThat(events).containsExactly("message", "message", "ended", "message");
        assertThat(receiver.metrics().get(EndpointMetrics.Counter.CONNECTIONS_OPENED))
                .isEqualTo(1);
    }
}
