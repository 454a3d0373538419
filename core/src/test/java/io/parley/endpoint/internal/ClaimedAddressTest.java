package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.context.DialLimiter;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses that peers claim: of a third party, and of networks in which they are not. */
class ClaimedAddressTest {

    private static final EndpointAddress THIRD_PARTY = EndpointAddress.parse("mem://third-party");

    private final EndpointFixture fixture = new EndpointFixture();
    private final AtomicInteger dials = new AtomicInteger();

    ClaimedAddressTest() {
        Transport thirdParty = fixture.transport(Identity.generate());
        join(thirdParty.listen(THIRD_PARTY, connection -> {
            dials.incrementAndGet();
            connection.abort(null);
        }));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void manyPeersThatClaimOneAddress_areDialedThereAFewTimes() {
        PeerEndpoint alice = fixture.start(Identity.generate(), EndpointLimits.DEFAULTS, new ManualScheduler());
        for (int i = 0; i < 100; i++) {
            PeerId invented = Identity.generate().peerId();
            alice.addPeerAddress(PeerAddress.of(invented, THIRD_PARTY));
            String failure = EndpointFixture.failure(alice.connect(invented)).getMessage();
            assertThat(failure.contains("not dialed")).as(failure).isEqualTo(i >= DialLimiter.MAX_PEERS);
        }
        assertThat(dials).hasValueLessThanOrEqualTo(DialLimiter.MAX_PEERS);

        PeerEndpoint honest = fixture.start();
        alice.addPeerAddress(honest.peerAddress());
        join(alice.connect(honest.peerId())); // at another address
    }

    private static PeerId invented() {
        return Identity.generate().peerId();
    }

    /** A third party that does not respond lets dials take seconds, so they count when they start. */
    @Test
    void dialsInProgress_count() {
        DialLimiter dialed = new DialLimiter(new ManualScheduler());
        for (int i = 0; i < 100; i++) {
            assertThat(dialed.tryDial(THIRD_PARTY, invented())).isEqualTo(i < DialLimiter.MAX_PEERS);
        }
        assertThat(dialed.tryDial(EndpointAddress.parse("mem://other"), invented()))
                .isTrue();
    }

    @Test
    void repeatedDials_ofSeveralPeers_count() {
        DialLimiter dialed = new DialLimiter(new ManualScheduler());
        PeerId first = invented();
        PeerId second = invented();
        for (int i = 0; i < 100; i++) {
            assertThat(dialed.tryDial(THIRD_PARTY, first)).as("the only one").isTrue();
        }
        assertThat(dialed.tryDial(THIRD_PARTY, second)).isTrue();
        for (int i = 0; i < 100; i++) {
            assertThat(dialed.tryDial(THIRD_PARTY, i % 2 == 0 ? first : second))
                    .isEqualTo(i < DialLimiter.MAX_REPEATED);
        }
    }

    @Test
    void addressIsDialedAgain_whenTheTimeIsOver() {
        ManualScheduler time = new ManualScheduler();
        DialLimiter dialed = new DialLimiter(time);
        for (int i = 0; i < DialLimiter.MAX_PEERS; i++) {
            assertThat(dialed.tryDial(THIRD_PARTY, invented())).isTrue();
        }
        assertThat(dialed.tryDial(THIRD_PARTY, invented())).isFalse();
        time.advance(DialLimiter.PERIOD);
        assertThat(dialed.tryDial(THIRD_PARTY, invented())).isTrue();
    }

    /** Otherwise invented peers that claim its address could keep this peer from connecting to it again. */
    @Test
    void peerThatWasFoundAtTheAddress_isDialedThere() {
        DialLimiter dialed = new DialLimiter(new ManualScheduler());
        PeerId honest = invented();
        assertThat(dialed.tryDial(THIRD_PARTY, honest)).isTrue();
        dialed.onFound(THIRD_PARTY, honest);
        for (int i = 0; i < 100; i++) {
            assertThat(dialed.tryDial(THIRD_PARTY, invented())).isEqualTo(i < DialLimiter.MAX_PEERS);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(dialed.tryDial(THIRD_PARTY, honest)).isTrue();
        }
    }

    @Test
    void relay_atWhichAPeerWasFound_isDialedForManyPeers() {
        ManualScheduler time = new ManualScheduler();
        DialLimiter dialed = new DialLimiter(time);
        EndpointAddress relayed = THIRD_PARTY.relayed();
        for (int i = 0; i < 100; i++) {
            EndpointAddress address = i % 2 == 0 ? relayed : THIRD_PARTY;
            assertThat(dialed.tryDial(address, invented()))
                    .as("both addresses lead to the third party")
                    .isEqualTo(i < DialLimiter.MAX_PEERS);
        }
        dialed.onFound(relayed, invented());
        PeerId peer = invented();
        for (int i = 0; i < DialLimiter.MAX_RELAYED; i++) {
            assertThat(dialed.tryDial(relayed, peer)).isTrue();
        }
        assertThat(dialed.tryDial(THIRD_PARTY, invented())).isFalse();
        assertThat(dialed.tryDial(relayed, peer)).isFalse();
        time.advance(DialLimiter.PERIOD);
        assertThat(dialed.tryDial(relayed, peer)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, ::ffff:192.0.2.1",
        "192.0.2.1, ::ffff:c000:201",
        "2001:db8::1, 2001:0DB8:0:0::0001",
        "example.org, Example.ORG"
    })
    void formsOfOneHost_countTogether(String form, String otherForm) {
        DialLimiter dialed = new DialLimiter(new ManualScheduler());
        for (int i = 0; i < DialLimiter.MAX_PEERS; i++) {
            assertThat(dialed.tryDial(new EndpointAddress("tcp", form, 1), invented()))
                    .isTrue();
        }
        assertThat(dialed.tryDial(new EndpointAddress("tcp", otherForm, 1), invented()))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, LOOPBACK",
        "127.8.9.1, LOOPBACK",
        "0.0.0.0, LOOPBACK",
        "localhost, LOOPBACK",
        "::1, LOOPBACK",
        "::ffff:127.0.0.1, LOOPBACK",
        "10.1.2.3, PRIVATE",
        "172.31.0.1, PRIVATE",
        "192.168.0.1, PRIVATE",
        "169.254.1.1, PRIVATE",
        "100.64.0.1, PRIVATE",
        "100.127.255.1, PRIVATE",
        "fe80::1, PRIVATE",
        "fd00::1, PRIVATE",
        "::ffff:10.0.0.1, PRIVATE",
        "100.128.0.1, PUBLIC",
        "172.32.0.1, PUBLIC",
        "192.0.2.1, PUBLIC",
        "2001:db8::1, PUBLIC",
        "example.org, PUBLIC"
    })
    void scope(String host, AddressScope expected) {
        assertThat(AddressScope.of(new EndpointAddress("tcp", host, 1))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "192.0.2.7 | 192.0.2.1 example.org",
                "10.0.0.7 | 10.0.0.1 192.0.2.1 example.org",
                "127.0.0.1 | 127.0.0.1 10.0.0.1 192.0.2.1 example.org",
            })
    void claims_ofNarrowerNetworks_areNotCredible(String from, String credible) {
        List<EndpointAddress> claimed = List.of("127.0.0.1", "10.0.0.1", "192.0.2.1", "example.org").stream()
                .map(host -> new EndpointAddress("tcp", host, 1))
                .toList();
        assertThat(AddressScope.credible(claimed, new EndpointAddress("tcp", from, 2)))
                .extracting(EndpointAddress::host)
                .containsExactly(credible.strip().split(" "));
    }

    /** The relay names the host from which a peer has connected, and its private network may be another one than that of this peer. */
    @Test
    void claimsOfRelayedPeers_areCredible_ifTheyArePublic() {
        List<EndpointAddress> claimed = List.of("127.0.0.1", "10.0.0.1", "192.0.2.1", "example.org").stream()
                .map(host -> new EndpointAddress("tcp", host, 1))
                .toList();
        for (String from : List.of("relay+tcp://127.0.0.1:2", "relay+tcp://10.0.0.7:2", "relay+tcp://192.0.2.7:2")) {
            assertThat(AddressScope.credible(claimed, EndpointAddress.parse(from)))
                    .extracting(EndpointAddress::host)
                    .containsExactly("192.0.2.1", "example.org");
        }
    }

    @Test
    void helloWithIncredibleAddresses_isAccepted_withoutThem() throws Exception {
        PeerEndpoint alice = fixture.start(EndpointLimits.DEFAULTS.toBuilder()
                .closeTimeout(Duration.ofMillis(100))
                .reconnectTimeout(Duration.ofMillis(50)) // the peer was connected, so its addresses are tried again
                .build());
        EndpointAddress loopback = EndpointAddress.parse("tcp://127.0.0.1:9");
        RawPeer raw = RawPeer.dial(fixture, alice);
        raw.write(frames -> frames.hello(raw.hello(List.of(loopback, THIRD_PARTY))));
        raw.expect("ACCEPT");
        until("the link", () -> alice.isConnected(raw.identity.peerId()));
        raw.end();
        until("the loss", () -> alice.connectedPeers().isEmpty());
        String failure =
                EndpointFixture.failure(alice.connect(raw.identity.peerId())).getMessage();
        assertThat(failure).contains("mem://third-party").doesNotContain("127.0.0.1");
    }
}
