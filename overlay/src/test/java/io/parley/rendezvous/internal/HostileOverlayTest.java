package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Publication;
import io.parley.discovery.SearchOptions;
import io.parley.discovery.internal.DiscoveryMessages;
import io.parley.discovery.internal.DiscoveryMetrics;
import io.parley.discovery.internal.GroupDiscovery;
import io.parley.discovery.internal.IndexPage;
import io.parley.discovery.internal.PageRequest;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.group.internal.JoinedGroup;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.HostileDocuments.BadDocument;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.PropagateOptions;
import io.parley.resolver.internal.PropagatedQuery;
import io.parley.resolver.internal.ResolverMetrics;
import io.parley.store.StoreLimits;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.testkit.LeakSamplingScope;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Attacks on peers that run as in a program, a rendezvous and one that is none. Hostile messages are rejected or limited, and
 * counted, and other peers are served meanwhile.
 */
@Timeout(120)
@Tag("extended")
class HostileOverlayTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** A rate that no test reaches, so that it reaches the limit behind it. */
    private static final int UNLIMITED_RATE = 1_000_000;

    /** A flooded peer warns of messages that it rejects and of messages that it drops. */
    private static final int KINDS_OF_WARNINGS = 2;

    /** The seconds of its rate that a token bucket lets through at once. */
    private static final int BURST_SECONDS = 2;

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<AutoCloseable> open = new ArrayList<>();

    private final CapturedLog log = new CapturedLog();
    private final long startNanos = System.nanoTime();

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        log.close();
    }

    /** Requires a warning, but not one for each hostile message. */
    private void assertWarned(String of) {
        int minutes = (int) Duration.ofNanos(System.nanoTime() - startNanos).toMinutes();
        assertThat(log.lines(of))
                .hasSizeBetween(1, KINDS_OF_WARNINGS * (minutes + 1))
                .allMatch(line -> line.contains("WARN"));
    }

    private Peer start(PeerBuilder builder, String name) {
        Peer peer = builder.limits(limits ->
                        limits.toBuilder().handshakeTimeout(Eventually.DEADLINE).build())
                .name(name)
                .transport(network.transportProvider())
                .listen("mem://" + name)
                .start();
        open.add(peer);
        return peer;
    }

    /** A scheduler at the present time, which stands still: rates let through their burst and nothing more. */
    private static ManualScheduler standingTime() {
        return new ManualScheduler(new ManualClock(Instant.now()), new Random(1));
    }

    private Peer rendezvous(RendezvousLimits.IndexLimits indexLimits) {
        return rendezvous(
                Peer.builder()
                        .rendezvousLimits(RendezvousLimits.DEFAULTS.toBuilder()
                                .index(indexLimits)
                                .build()),
                "rendezvous");
    }

    private Peer rendezvous(PeerBuilder builder, String name) {
        Peer rendezvous = start(builder.multicast(false).actAsRendezvous(), name);
        Eventually.until(() -> "index of " + name + " is empty", () -> indexed(rendezvous) > 0);
        return rendezvous;
    }

    private Peer client(String name) {
        Peer client = start(Peer.builder().multicast(false).rendezvous("mem://rendezvous"), name);
        Eventually.until(
                () -> name + " has no rendezvous",
                () -> !client.rendezvous().rendezvous().isEmpty());
        Eventually.until(() -> name + " is not in the index", () -> indexedBy(client) > 0);
        // The client publishes everything again if it has got its lease meanwhile, and this after that.
        Eventually.get(publish(client, name + " is ready").whenIndexed(), "the last publication of " + name);
        return client;
    }

    /** Returns the number of advertisements that a peer has published at the index, with repetitions. */
    private static long indexedBy(Peer peer) {
        return ((GroupDiscovery) peer.netGroup().discovery())
                .metrics()
                .get(DiscoveryMetrics.Counter.ADVERTISEMENTS_INDEXED);
    }

    /** Starts a peer that receives multicasts. Its searches wait for responses until they have as many as they need. */
    private Peer lanPeer(String name, StoreLimits limits) {
        return lanPeer(Peer.builder().storeLimits(limits), name);
    }

    private Peer lanPeer(PeerBuilder builder, String name) {
        return start(
                builder.discoveryLimits(limits ->
                                limits.toBuilder().collectTimeout(TIMEOUT).build())
                        .propagationTransport(network.propagationProvider()),
                name);
    }

    private HostilePeer hostile(String victim) {
        HostilePeer mallory = new HostilePeer(network, EndpointAddress.parse("mem://" + victim));
        open.add(mallory);
        return mallory;
    }

    private static int indexed(Peer rendezvous) {
        return ((RendezvousServer) rendezvous.rendezvous()).indexed();
    }

    private static long indexedBytes(Peer rendezvous) {
        return ((RendezvousServer) rendezvous.rendezvous()).indexedBytes();
    }

    private static long count(Peer rendezvous, Counter counter) {
        return role(rendezvous).metrics().get(counter);
    }

    private static Publication publish(Peer peer, String name) {
        return peer.netGroup()
                .discovery()
                .publish(PipeAdvertisement.of(PipeId.ofName(GroupId.NET, name), PipeType.UNICAST, name));
    }

    private static DiscoveryQuery query(String name) {
        return DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME).with("Name", name);
    }

    private static List<SignedAdvertisement> find(Peer peer, String name) {
        return Eventually.get(
                peer.netGroup().discovery().find(query(name), SearchOptions.of(TIMEOUT, 1)), "a search for " + name);
    }

    /** Requires that a peer can publish and another one finds that, such as during an attack. */
    private static void assertServed(Peer alice, Peer bob, String name) {
        Eventually.get(publish(alice, name).whenIndexed(), "the publication of " + name);
        assertThat(find(bob, name))
                .singleElement()
                .satisfies(found -> assertThat(found.publisher()).isEqualTo(alice.id()));
    }

    @Test
    void rendezvous_badDocuments_areRejectedOneByOne_andValidOnesAreStored() {
        Peer rendezvous = rendezvous(RendezvousLimits.IndexLimits.DEFAULTS);
        HostilePeer mallory = hostile("rendezvous").leased();
        int before = indexed(rendezvous);
        List<BadDocument> bad = mallory.documents.bad(rendezvous.id());
        for (BadDocument document : bad) {
            PublishResponse response = Eventually.get(
                    mallory.publish(
                            List.of(document.bytes(), mallory.documents.pipe("beside " + document.description()))),
                    document.description());
            assertThat(response.refused()).as(document.description()).isEqualTo(1);
            assertThat(response.fault())
                    .as(document.description())
                    .isNotNull()
                    .satisfies(fault -> assertThat(fault.code())
                            .isEqualTo(ErrorCode.ofWire(document.fault().number())));
        }
        assertThat(count(rendezvous, Counter.ADVERTISEMENTS_REJECTED)).isEqualTo(bad.size());
        assertThat(indexed(rendezvous) - before).isEqualTo(bad.size());
        assertWarned("Refused 1 advertisements of peer " + mallory.identity.peerId());
    }

    @Test
    void rendezvous_replayedDocument_doesNotReplaceTheNewerOne_andIsLogged() {
        Peer rendezvous = rendezvous(RendezvousLimits.IndexLimits.DEFAULTS);
        HostilePeer mallory = hostile("rendezvous").leased();
        byte[] older = mallory.documents.pipe("pipe");
        byte[] newer = mallory.documents.pipe("pipe");

        Eventually.get(mallory.publish(List.of(newer)), "the newer one");
        long stored = count(rendezvous, Counter.ADVERTISEMENTS_STORED);
        Eventually.get(mallory.publish(List.of(older)), "the older one");

        assertThat(count(rendezvous, Counter.ADVERTISEMENTS_OUTDATED)).isEqualTo(1);
        assertThat(count(rendezvous, Counter.ADVERTISEMENTS_STORED)).isEqualTo(stored);
        assertWarned("Ignored 1 advertisements of peer " + mallory.identity.peerId());
        Peer bob = client("bob");
        assertThat(find(bob, "pipe"))
                .singleElement()
                .satisfies(found -> assertThat(found.toByteArray()).isEqualTo(newer));
    }

    @Test
    void rendezvous_documentOfAnotherPeer_isRejectedFromAClient() {
        Peer rendezvous = rendezvous(RendezvousLimits.IndexLimits.DEFAULTS);
        HostilePeer mallory = hostile("rendezvous").leased();
        HostilePeer trent = hostile("rendezvous");
        int before = indexed(rendezvous);

        PublishResponse response =
                Eventually.get(mallory.publish(List.of(trent.documents.pipe("pipe"))), "a document of another peer");

        assertThat(response.fault())
                .isNotNull()
                .satisfies(fault -> assertThat(fault.code()).isEqualTo(ErrorCode.IDENTITY_REFUSED));
        assertThat(indexed(rendezvous)).isEqualTo(before);
    }

    @Test
    void rendezvous_floodOfOneClient_staysWithinItsQuota() {
        floodOfOneClient(10_000);
    }

    @Tag("slow")
    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void rendezvous_longFloodOfOneClient_staysWithinItsRateAndQuota() {
        try (LeakSamplingScope sampling = new LeakSamplingScope()) {
            floodOfOneClient(1_000_000);
        }
    }

    private void floodOfOneClient(int advertisements) {
        int quota = 1200;
        Peer rendezvous = rendezvous(RendezvousLimits.IndexLimits.DEFAULTS.toBuilder()
                .maxAdvertisementsPerClient(quota)
                .maxBytesPerClient(16 << 20)
                .publicationsPerSecond(1000)
                .build());
        Peer alice = client("alice");
        Peer bob = client("bob");
        HostilePeer mallory = hostile("rendezvous").leased();
        long storedBefore = count(rendezvous, Counter.ADVERTISEMENTS_STORED) - indexedBy(alice) - indexedBy(bob);
        int before = indexed(rendezvous);

        CompletableFuture<Void> flood =
                CompletableFuture.runAsync(() -> mallory.floodWithAdvertisements(0, advertisements));
        assertServed(alice, bob, "meanwhile");
        flood.join();
        assertServed(alice, bob, "afterwards");

        long stored =
                count(rendezvous, Counter.ADVERTISEMENTS_STORED) - indexedBy(alice) - indexedBy(bob) - storedBefore;
        long overQuota = count(rendezvous, Counter.ADVERTISEMENTS_OVER_QUOTA);
        long throttled = mallory.throttled();
        System.out.println("flood of one client: " + advertisements + " advertisements, " + stored + " stored, "
                + overQuota + " over the quota, " + throttled + " throttled; the index has "
                + indexed(rendezvous) + " in " + indexedBytes(rendezvous) + " bytes");
        assertThat(indexed(rendezvous) - before - 2).isBetween(1, quota);
        assertThat(stored).isBetween(1L, (long) quota);
        assertThat(count(rendezvous, Counter.ADVERTISEMENTS_THROTTLED)).isLessThanOrEqualTo(throttled);
        // The times of issue increase by at least one millisecond each, so they get ahead of the clock.
        long notYetValid = count(rendezvous, Counter.ADVERTISEMENTS_REJECTED);
        assertThat(stored + overQuota + notYetValid + throttled).isEqualTo(advertisements);
        assertWarned("advertisements of peer " + mallory.identity.peerId());
    }

    @Test
    void rendezvous_floodOfManyIdentities_staysWithinTheIndex() {
        floodOfManyIdentities(8_000);
    }

    @Tag("slow")
    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void rendezvous_longFloodOfManyIdentities_staysWithinTheIndex() {
        try (LeakSamplingScope sampling = new LeakSamplingScope()) {
            floodOfManyIdentities(1_000_000);
        }
    }

    private void floodOfManyIdentities(int advertisements) {
        int identities = 40;
        int maxEntries = 3000;
        long maxBytes = 8 << 20;
        int quota = 100;
        Peer rendezvous = rendezvous(RendezvousLimits.IndexLimits.DEFAULTS.toBuilder()
                .maxEntries(maxEntries)
                .maxBytes(maxBytes)
                .maxAdvertisementsPerClient(quota)
                .maxBytesPerClient(1 << 20)
                .publicationsPerSecond(UNLIMITED_RATE)
                .build());
        Peer alice = client("alice");
        Peer bob = client("bob");
        Eventually.get(publish(alice, "before").whenIndexed(), "a publication");
        List<HostilePeer> attackers = new ArrayList<>();
        for (int i = 0; i < identities; i++) {
            attackers.add(hostile("rendezvous").leased());
        }

        CompletableFuture<Void> flood = CompletableFuture.allOf(attackers.stream()
                .map(mallory -> CompletableFuture.runAsync(
                        () -> mallory.floodWithAdvertisements(0, advertisements / identities)))
                .toArray(CompletableFuture<?>[]::new));
        while (!flood.isDone()) {
            assertThat(find(bob, "before")).hasSize(1);
            assertThat(indexed(rendezvous)).isLessThanOrEqualTo(maxEntries);
            assertThat(indexedBytes(rendezvous)).isLessThanOrEqualTo(maxBytes);
        }
        flood.join();

        long throttled = attackers.stream().mapToLong(HostilePeer::throttled).sum();
        System.out.println("flood of " + identities + " identities: " + advertisements + " advertisements, "
                + count(rendezvous, Counter.ADVERTISEMENTS_STORED) + " stored, "
                + count(rendezvous, Counter.ADVERTISEMENTS_OVER_QUOTA) + " over a quota or the size of the index, "
                + throttled + " throttled; the index has "
                + indexed(rendezvous) + " in " + indexedBytes(rendezvous) + " bytes");
        assertThat(count(rendezvous, Counter.ADVERTISEMENTS_OVER_QUOTA)).isPositive();
        assertThat(count(rendezvous, Counter.ADVERTISEMENTS_OVER_QUOTA)
                        + count(rendezvous, Counter.ADVERTISEMENTS_STORED)
                        + throttled)
                .isGreaterThanOrEqualTo(advertisements);
        assertThat(find(bob, "before")).hasSize(1);
        assertServed(alice, bob, "afterwards"); // in the place of the latest one of the host with the most
        assertThat(count(rendezvous, Counter.ADVERTISEMENTS_EVICTED)).isPositive();
        assertWarned("advertisements of peer ");
    }

    private static RendezvousRole role(Peer peer) {
        return (RendezvousRole) peer.rendezvous();
    }

    @Test
    void rendezvous_floodOfMessagesToAGroup_reachesOthersAtItsRateOnly() {
        Peer rendezvous = rendezvous(RendezvousLimits.IndexLimits.DEFAULTS);
        Peer alice = client("alice");
        Peer bob = client("bob");
        HostilePeer mallory = hostile("rendezvous").leased();
        HostilePeer unleased = hostile("rendezvous");
        ServiceAddress service = ServiceAddress.of("gossip");
        AtomicInteger spam = new AtomicInteger();
        CompletableFuture<Message> received = new CompletableFuture<>();
        role(bob).propagator(GroupId.NET).listen(service, (sender, message) -> {
            if (sender.peer().equals(alice.id())) {
                received.complete(message);
            } else {
                spam.incrementAndGet();
            }
        });
        int messages = 10_000;

        CompletableFuture<Void> flood = CompletableFuture.runAsync(() -> {
            HostilePeer.flood(messages, i -> mallory.send(signed(mallory, mallory, i, service)));
            HostilePeer.flood(100, i -> unleased.send(signed(unleased, unleased, i, service)));
            HostilePeer.flood(100, i -> mallory.send(signed(unleased, mallory, i, service)));
        });
        assertServed(alice, bob, "meanwhile");
        flood.join();
        Eventually.until(() -> "the message of alice did not arrive", () -> {
            role(alice).propagator(GroupId.NET).propagate(service, Message.of("text", "hello"));
            return received.isDone();
        });

        Eventually.until(
                () -> "messages are still being processed",
                () -> count(rendezvous, Counter.GROUP_MESSAGES_THROTTLED)
                                        + count(rendezvous, Counter.GROUP_MESSAGES_FORWARDED)
                                >= messages
                        && count(rendezvous, Counter.GROUP_MESSAGES_REJECTED) >= 200);
        assertThat(count(rendezvous, Counter.GROUP_MESSAGES_THROTTLED)).isGreaterThan(messages / 2);
        assertThat((long) spam.get()).isLessThanOrEqualTo(count(rendezvous, Counter.GROUP_MESSAGES_FORWARDED));
        assertWarned("group message from peer");
    }

    /** Returns a message that {@code sender} sends in the name of {@code signer}. */
    private static SignedGroupMessage signed(
            HostilePeer signer, HostilePeer sender, int number, ServiceAddress service) {
        return SignedGroupMessage.sign(
                signer.identity,
                List.of(),
                ((long) sender.hashCode() << 32) + number,
                System.currentTimeMillis(),
                GroupId.NET,
                service,
                Message.of("text", "spam " + number),
                64 << 10);
    }

    /** Both guards are exceeded: that of all queries of one peer, and that of its walks. */
    @Test
    void rendezvous_floodOfSearches_isServedAtItsRatesOnly() {
        Peer rendezvous = rendezvous(Peer.builder().scheduler(standingTime()), "rendezvous");
        Peer other = rendezvous(Peer.builder().rendezvous("mem://rendezvous"), "other");
        Eventually.until(
                () -> "the peer view is empty",
                () -> role(rendezvous).rendezvous().contains(other.id()));
        Peer alice = client("alice");
        Peer bob = client("bob");
        HostilePeer mallory = hostile("rendezvous").leased();
        int maxQueries = BURST_SECONDS * RendezvousContext.RESOLVER_LIMITS.queriesPerSecond() - 1; // one for the lease
        int maxWalks = BURST_SECONDS * RendezvousLimits.IndexLimits.DEFAULTS.walksPerSecond();
        int searches = maxQueries + 1000;
        AtomicInteger served = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        Message request = new IndexSearchRequest(GroupId.NET, query("*x*"), 0, 100, false, TIMEOUT).write();

        CompletableFuture<Void> flood = CompletableFuture.runAsync(() -> HostilePeer.flood(
                searches,
                i -> mallory.queryOverlay(RendezvousContext.FIND, request)
                        .whenComplete((response, failure) -> (failure == null ? served : refused).incrementAndGet())));
        assertServed(alice, bob, "meanwhile");
        flood.join();

        assertThat(served).hasValue(maxWalks);
        assertThat(refused).hasValue(searches - maxWalks);
        assertThat(count(rendezvous, Counter.WALKS)).isEqualTo(maxWalks);
        assertThat(count(rendezvous, Counter.SEARCHES_THROTTLED)).isEqualTo(maxQueries - maxWalks);
        assertWarned("of peer " + mallory.identity.peerId());
    }

    @Test
    void rendezvous_peerWithoutALease_isRefused() {
        Peer rendezvous = rendezvous(RendezvousLimits.IndexLimits.DEFAULTS);
        HostilePeer mallory = hostile("rendezvous");
        IndexSearchRequest request = new IndexSearchRequest(GroupId.NET, query("pipe"), 0, 100, false, TIMEOUT);
        int before = indexed(rendezvous);

        Eventually.failure(mallory.publish(List.of(mallory.documents.pipe("pipe"))), "publishing");
        Eventually.failure(
                mallory.queryOverlay(
                        RendezvousContext.REPLICATE, PublishResponse.request(List.of(mallory.documents.pipe("pipe")))),
                "replicating");
        Eventually.failure(mallory.queryOverlay(RendezvousContext.FIND, request.write()), "searching");

        assertThat(count(rendezvous, Counter.REQUESTS_UNAUTHORIZED)).isEqualTo(3);
        assertThat(indexed(rendezvous)).isEqualTo(before);
    }

    @Test
    void peer_badDocumentsInAResponse_areRejectedOneByOne_andTheSearchContinues() {
        Peer alice = lanPeer("alice", StoreLimits.DEFAULTS);
        GroupDiscovery discovery = (GroupDiscovery) alice.netGroup().discovery();
        HostilePeer mallory = hostile("alice");
        List<BadDocument> bad = mallory.documents.bad(alice.id());
        mallory.net.registerHandler("discovery", request -> {
            List<byte[]> response =
                    new ArrayList<>(bad.stream().map(BadDocument::bytes).toList());
            response.add(mallory.documents.pipe("wanted"));
            return CompletableFuture.completedFuture(
                    Optional.of(DiscoveryMessages.page(new IndexPage(response, OptionalInt.empty(), 0))));
        });

        assertThat(find(alice, "wanted")).hasSize(1);

        Eventually.until(
                () -> "refused: " + discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_REJECTED),
                () -> discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_REJECTED)
                                + discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_OUTDATED)
                        == bad.size());
        assertThat(discovery.findLocal(DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME), 100))
                .hasSize(1);
        assertWarned("Rejected advertisement received in group " + GroupId.NET);
    }

    @Test
    void peer_replayedDocument_doesNotReplaceTheNewerOne_andIsLogged() {
        Peer alice = lanPeer("alice", StoreLimits.DEFAULTS);
        GroupDiscovery discovery = (GroupDiscovery) alice.netGroup().discovery();
        HostilePeer mallory = hostile("alice");
        byte[] older = mallory.documents.pipe("pipe");
        byte[] newer = mallory.documents.pipe("pipe");
        byte[] last = mallory.documents.pipe("pipe 2");
        mallory.net.registerHandler(
                "discovery",
                request -> CompletableFuture.completedFuture(Optional.of(
                        DiscoveryMessages.page(new IndexPage(List.of(newer, older, last), OptionalInt.empty(), 0)))));

        assertThat(Eventually.get(discovery.find(query("pipe*"), SearchOptions.of(TIMEOUT, 2)), "a search"))
                .extracting(SignedAdvertisement::toByteArray)
                .containsExactlyInAnyOrder(newer, last);

        assertThat(discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_OUTDATED))
                .isEqualTo(1);
        assertThat(discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_REJECTED))
                .isZero();
        assertThat(log.lines("Ignored outdated advertisement received in group " + GroupId.NET))
                .singleElement()
                .satisfies(line -> assertThat(line).contains("INFO"));
    }

    @Test
    void peer_floodOfQueries_isServedAtItsRateOnly() {
        Peer alice = lanPeer(Peer.builder().scheduler(standingTime()), "alice");
        publish(alice, "pipe");
        HostilePeer mallory = hostile("alice");
        HostilePeer bob = hostile("alice");
        Message request = DiscoveryMessages.request(new PageRequest(query("*"), 0, 100, false));
        int maxQueries = BURST_SECONDS * ResolverLimits.DEFAULTS.queriesPerSecond();
        int queries = maxQueries + 1000;
        AtomicInteger refused = new AtomicInteger();

        HostilePeer.flood(
                queries,
                i -> mallory.queryNet("discovery", request)
                        .whenComplete((response, failure) -> refused.addAndGet(failure == null ? 0 : 1)));

        assertThat(refused).hasValue(queries - maxQueries);
        assertThat(Eventually.get(bob.queryNet("discovery", request), "a response")
                        .elements())
                .isNotEmpty();
        ResolverMetrics metrics = ((JoinedGroup) alice.netGroup()).resolver().metrics();
        assertThat(metrics.get(ResolverMetrics.Counter.QUERIES_THROTTLED)).isEqualTo(refused.get());
        assertWarned("of peer " + mallory.identity.peerId());
    }

    @Test
    void peer_floodOfPropagatedQueries_isServedAtItsRateOnly() {
        Peer alice = lanPeer(Peer.builder().scheduler(standingTime()), "alice");
        publish(alice, "pipe");
        HostilePeer mallory = hostile("alice");
        HostilePeer bob = hostile("alice");
        Message request = DiscoveryMessages.request(new PageRequest(query("pipe"), 0, 100, false));
        int queries = 5_000;
        PropagateOptions options = new PropagateOptions(TIMEOUT, 1);

        for (int i = 0; i < queries; i++) {
            mallory.net.propagate("discovery", request, options, response -> {}).closeAsync();
        }

        Eventually.until(
                () -> "queries are still being delivered", // a full buffer would drop that of bob
                () -> alice.endpoint().metrics().get(EndpointMetrics.Counter.PROPAGATIONS_RECEIVED)
                                + alice.endpoint().metrics().get(EndpointMetrics.Counter.PROPAGATIONS_THROTTLED)
                        >= queries);
        PropagatedQuery propagated = bob.net.propagate("discovery", request, options, response -> {});
        assertThat(Eventually.get(propagated.whenDone(), "a response")).isEqualTo(1);
        ResolverMetrics metrics = ((JoinedGroup) alice.netGroup()).resolver().metrics();
        Eventually.until(() -> "no query is refused", () -> metrics.get(ResolverMetrics.Counter.QUERIES_THROTTLED) > 0);
        assertThat(metrics.get(ResolverMetrics.Counter.QUERIES_HANDLED)).isLessThan(queries / 2);
        assertWarned("of peer " + mallory.identity.peerId());
    }

    @Test
    void peer_announcementsOfManyPeers_stayWithinItsStore() {
        StoreLimits limits = StoreLimits.DEFAULTS.toBuilder().maxEntries(50).build();
        Peer alice = lanPeer("alice", limits);
        publish(alice, "pipe");
        GroupDiscovery discovery = (GroupDiscovery) alice.netGroup().discovery();
        for (int i = 0; i < 100; i++) {
            HostilePeer announcer = hostile("alice");
            announcer.net.propagate(
                    "announce",
                    DiscoveryMessages.documents(List.of(announcer.documents.self()))
                            .build(),
                    new PropagateOptions(TIMEOUT, 1),
                    response -> {});
        }

        Eventually.until(
                () -> "announcements accepted: "
                        + discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_ACCEPTED),
                () -> discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_ACCEPTED) == 100);
        assertThat(discovery.findLocal(DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME), 1000))
                .hasSizeBetween(1, limits.maxEntries() + 1); // its own one is not limited
        assertThat(find(alice, "pipe")).hasSize(1);
    }
}
