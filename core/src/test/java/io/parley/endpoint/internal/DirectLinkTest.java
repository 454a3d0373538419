package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.at;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.link;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslProvider;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.TransportSecurity;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A relayed link is replaced by a direct one if one of the two peers can dial the other, and nothing above it notices. */
class DirectLinkTest {

    private static final int MESSAGES = 2000;

    private final EndpointFixture fixture = new EndpointFixture();
    private final Queue<String> events = new ConcurrentLinkedQueue<>();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    /** Starts an endpoint that listens at {@code relay+mem://name}, and for direct connections at {@code mem://name-direct}. */
    private PeerEndpoint start(Identity identity, String name, boolean direct) {
        PeerEndpoint endpoint = fixture.start(
                identity, EndpointLimits.DEFAULTS, new RelayedMemoryTransport(fixture.transport(identity)));
        join(endpoint.listen(relayed(name)));
        if (direct) {
            join(endpoint.listen(direct(name)));
        }
        endpoint.addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onConnected(PeerId peer) {
                events.add(name + " connected");
            }

            @Override
            public void onDisconnected(PeerId peer) {
                events.add(name + " disconnected");
            }
        });
        return endpoint;
    }

    private static EndpointAddress relayed(String name) {
        return EndpointAddress.parse("relay+mem://" + name);
    }

    private static EndpointAddress direct(String name) {
        return EndpointAddress.parse("mem://" + name + "-direct");
    }

    private static void awaitDirect(PeerEndpoint one, PeerEndpoint other) {
        until(
                "a direct link from " + one + " to " + other,
                () -> !link(one, other).isRelayed());
    }

    private static Queue<Integer> listen(PeerEndpoint endpoint) {
        Queue<Integer> received = new ConcurrentLinkedQueue<>();
        endpoint.listen(SERVICE, message -> {
            received.add(Integer.parseInt(message.message().text("text").orElseThrow()));
            message.release();
        });
        return received;
    }

    private static List<Integer> numbers() {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            numbers.add(i);
        }
        return numbers;
    }

    private static CompletableFuture<Void> sendAll(PeerEndpoint from, PeerEndpoint to) {
        PeerMessenger messenger = from.messenger(to.peerId(), SERVICE);
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            sent.add(EndpointFixture.sendWhenWritable(messenger, Message.of("text", Integer.toString(i))));
        }
        return CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new));
    }

    @Test
    void dialerThatListens_isDialedByTheOtherPeer_andNoMessageIsLost() {
        for (boolean smaller : new boolean[] {true, false}) {
            events.clear();
            List<Identity> identities = EndpointFixture.identities(2);
            PeerEndpoint alice = start(identities.get(smaller ? 0 : 1), "alice" + smaller, true);
            PeerEndpoint bob = start(identities.get(smaller ? 1 : 0), "bob" + smaller, false);
            Queue<Integer> received = listen(bob);
            alice.addPeerAddress(at(bob, "relay+mem://bob" + smaller));

            join(sendAll(alice, bob));

            assertThat(received).containsExactlyElementsOf(numbers());
            awaitDirect(alice, bob);
            awaitDirect(bob, alice);
            assertThat(link(alice, bob).connectionId())
                    .isEqualTo(link(bob, alice).connectionId());
            assertThat(events)
                    .containsExactlyInAnyOrder("alice" + smaller + " connected", "bob" + smaller + " connected");
        }
    }

    @Test
    void peersThatDialEachOther_keepOneDirectLink() {
        for (int round = 0; round < 30; round++) {
            events.clear();
            PeerEndpoint alice = start(Identity.generate(), "alice" + round, true);
            PeerEndpoint bob = start(Identity.generate(), "bob" + round, true);
            Queue<Integer> received = listen(bob);
            alice.addPeerAddress(at(bob, "relay+mem://bob" + round));
            join(alice.connect(bob.peerId()));
            alice.addPeerAddress(at(bob, direct("bob" + round).toString()));

            join(sendAll(alice, bob));

            assertThat(received).containsExactlyElementsOf(numbers());
            awaitDirect(alice, bob);
            awaitDirect(bob, alice);
            until(
                    "the same link",
                    () -> link(alice, bob).connectionId() == link(bob, alice).connectionId());
            assertThat(join(alice.ping(bob.peerId()))).isPositive();
            assertThat(join(bob.ping(alice.peerId()))).isPositive();
            assertThat(events).containsExactlyInAnyOrder("alice" + round + " connected", "bob" + round + " connected");
            until("one link each", () -> open(alice) == 1 && open(bob) == 1);
            join(alice.closeAsync());
            join(bob.closeAsync());
        }
    }

    private static long open(PeerEndpoint endpoint) {
        return count(endpoint, Counter.CONNECTIONS_OPENED) - count(endpoint, Counter.CONNECTIONS_CLOSED);
    }

    /** The tunnel of secure channels on connections that are not authenticated ends with the relayed link, and the next one has its own. */
    @Test
    void secureChannelOverPlaintext_isResumedOnTheDirectLink() {
        PeerEndpoint alice = startSecure();
        PeerEndpoint bob = startSecure();
        join(alice.listen(relayed("alice")));
        List<Integer> received = new CopyOnWriteArrayList<>();
        alice.listen(SERVICE, ServiceOptions.DEFAULTS.withSecureChannels(), message -> {
            received.add(Integer.parseInt(message.message().text("text").orElseThrow()));
            message.release();
        });
        bob.addPeerAddress(at(alice, "relay+mem://alice"));
        join(bob.connect(alice.peerId()));
        PeerMessenger messenger =
                bob.messenger(alice.peerId(), SERVICE, MessengerOptions.DEFAULTS.withSecureChannels());
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            sent.add(EndpointFixture.sendWhenWritable(messenger, Message.of("text", Integer.toString(i))));
            if (i == MESSAGES / 2) {
                bob.addPeerAddress(at(alice, alice.addresses().get(0).toString()));
            }
        }
        join(CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new)));
        assertThat(received).containsExactlyElementsOf(numbers());
        awaitDirect(bob, alice);
        assertThat(count(bob, Counter.CONNECTIONS_OPENED)).isEqualTo(2);
    }

    private PeerEndpoint startSecure() {
        return fixture.startSecure(
                Identity.generate(),
                EndpointLimits.DEFAULTS,
                TransportSecurity.PLAINTEXT,
                SslProvider.JDK,
                RelayedMemoryTransport::new);
    }

    @Test
    void peerWithoutADirectAddress_staysRelayed_untilOneIsAdded() {
        PeerEndpoint alice = start(Identity.generate(), "alice", false);
        PeerEndpoint bob = start(Identity.generate(), "bob", true);
        PeerEndpoint carol = start(Identity.generate(), "carol", false);
        Queue<Integer> received = listen(bob);
        alice.addPeerAddress(at(bob, "mem://nobody", "relay+mem://bob"));
        carol.addPeerAddress(at(alice, "relay+mem://alice"));
        join(carol.connect(alice.peerId()));

        join(sendAll(alice, bob));

        assertThat(received).containsExactlyElementsOf(numbers());
        assertThat(link(alice, bob).isRelayed()).isTrue();
        assertThat(link(carol, alice).isRelayed()).isTrue();
        alice.addPeerAddress(at(bob, direct("bob").toString()));
        awaitDirect(alice, bob);
        assertThat(events).doesNotContain("alice disconnected", "bob disconnected");
        assertThat(link(carol, alice).isRelayed()).isTrue();
    }
}
