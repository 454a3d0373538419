package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.PipeAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.resolver.internal.Query;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The rates of the publications, searches and group messages of one host, whose clients cost nothing. Time stands still. */
class RendezvousHostRateTest {

    private static final int RATE = 5;

    /** A full bucket has the tokens of two seconds. */
    private static final int BURST = 2 * RATE;

    private static final int CLIENTS_OF_A_HOST = 4;
    private static final GroupId GROUP = Publisher.GROUP;

    private static final RendezvousLimits LIMITS = RendezvousLimits.DEFAULTS.toBuilder()
            .index(RendezvousLimits.IndexLimits.DEFAULTS.toBuilder()
                    .publicationsPerSecond(RATE)
                    .walksPerSecond(RATE)
                    .build())
            .propagation(RendezvousLimits.PropagationLimits.DEFAULTS.toBuilder()
                    .messagesPerSecond(RATE)
                    .build())
            .build();

    private final RendezvousContextFixture fixture = new RendezvousContextFixture(LIMITS);
    private final RendezvousContext context = fixture.context;
    private final LeaseRegistry leases = fixture.newLeases();
    private final PeerView view = fixture.newView();
    private final AdvertisementIndex index = fixture.newIndex();
    private String lastError = "";

    private Identity client() {
        Identity client = Identity.generate();
        assertThat(leases.grant(client.peerId(), Set.of(GROUP), Duration.ofMinutes(1)))
                .isPresent();
        return client;
    }

    /** The peers of the attacking host have no connection, and therefore one host. */
    private void assertHostIsLimited(Predicate<Identity> request) {
        int served = 0;
        for (int i = 0; i < 100; i++) {
            served += served(client(), request);
        }
        assertThat(served).isEqualTo(BURST * CLIENTS_OF_A_HOST);
        Identity alice = Identity.generate();
        fixture.connected.add(alice.peerId());
        leases.grant(alice.peerId(), Set.of(GROUP), Duration.ofMinutes(1));
        assertThat(served(alice, request)).isEqualTo(BURST);
    }

    private static int served(Identity client, Predicate<Identity> request) {
        int served = 0;
        for (int i = 0; i < 3 * BURST; i++) {
            served += request.test(client) ? 1 : 0;
        }
        return served;
    }

    private boolean isServed(Runnable request) {
        try {
            request.run();
            return true;
        } catch (ParleyException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
            lastError = e.getMessage();
            return false;
        }
    }

    @Test
    void publications() {
        IndexUpdateHandler handler =
                new IndexUpdateHandler(context, leases, view, index, new Replicator(context, view, index));
        Message request = PublishResponse.request(List.of(new byte[1]));
        assertHostIsLimited(client -> isServed(
                () -> handler.onPublish(new Query(client.peerId(), RendezvousContext.PUBLISH, request, false, 0))));
        assertThat(lastError)
                .isEqualTo(
                        "advertisements of one peer: rate exceeded (expected: <= 5 per second, publicationsPerSecond)");
    }

    @Test
    void searchesForPatterns() {
        view.offer(new PeerViewEntry(PeerAddress.of(Identity.generate().peerId()), 1, new byte[0]), "192.0.2.1");
        IndexSearcher searcher = new IndexSearcher(context, leases, view, index);
        IndexSearchRequest request = new IndexSearchRequest(
                GROUP,
                DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME).with("Name", "rain*"),
                0,
                10,
                false,
                Duration.ofSeconds(1));
        assertHostIsLimited(client -> isServed(() -> searcher.find(client.peerId(), request)));
    }

    @Test
    void groupMessages() {
        ServerForwarder forwarder = new ServerForwarder(context, leases, view);
        assertHostIsLimited(client -> {
            SignedGroupMessage message = SignedGroupMessage.sign(
                    client, List.of(), 1, 1, GROUP, ServiceAddress.of("gossip"), Message.of("text", "hello"), 1000);
            return forwarder.check(client.peerId(), message) == GroupMessageForwarder.Verdict.ACCEPT;
        });
    }

    @Test
    void groupMessagesOfAnotherRendezvous_leaveOthersTheirRate() {
        ServerForwarder forwarder = new ServerForwarder(context, leases, view);
        SignedGroupMessage message = SignedGroupMessage.sign(
                Identity.generate(),
                List.of(),
                1,
                1,
                GROUP,
                ServiceAddress.of("gossip"),
                Message.of("text", "hello"),
                1000);
        for (String host : List.of("192.0.2.1", "198.51.100.1")) {
            PeerId rendezvous = Identity.generate().peerId();
            view.offer(new PeerViewEntry(PeerAddress.of(rendezvous), 1, new byte[0]), host);
            int accepted = 0;
            for (int i = 0; i < 100 * BURST; i++) {
                accepted += forwarder.check(rendezvous, message) == GroupMessageForwarder.Verdict.ACCEPT ? 1 : 0;
            }
            assertThat(accepted).as(host).isEqualTo(20 * BURST);
        }
    }
}
