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
import io.parley.rendezvous.internal.HostileDocuments.Bad;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.PropagateOptions;
import io.parley.resolver.internal.PropagatedQuery;
import io.parley.resolver.internal.ResolverMetrics;
import io.parley.store.StoreLimits;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.testkit.LeakSamplingScope;
import io.parley.transport.EndpointAddress;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Peers as programs start them, a rendezvous and one that is none, and others that mean no good: whatever these say is refused
 * or bounded and counted, and those who mean well are served meanwhile.
 */
@Timeout(120)
class HostileOverlayTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** What a test of a flood lets in, to reach the bound beyond. */
    private static final int NO_RATE = 1_000_000;

    /** A peer that is flooded has something to refuse and something that it does not look at. */
    private static final int KINDS_OF_WARNINGS = 2;

    /** More than those who mean well ask while others flood. */
    private static final int FINDS_OF_OTHERS = 32;

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<AutoCloseable> open = new ArrayList<>();

    private final CapturedLog log = new CapturedLog();
    private final long beganNanos = System.nanoTime();

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        log.close();
    }

    /** Whoever runs a peer is told, but not as often as somebody does it. */
    private void assertWarned(String of) {
        assertWarned(true, of);
    }

    private void assertWarned(boolean expected, String of) {
        int minutes = (int) Duration.ofNanos(System.nanoTime() - beganNanos).toMinutes();
        assertThat(log.lines(of))
                .hasSizeBetween(expected ? 1 : 0, expected ? KINDS_OF_WARNINGS * (minutes + 1) : 0)
                .allMatch(line -> line.contains("WARN"));
    }

    private Peer start(PeerBuilder builder, String name) {
        Peer peer = builder.name(name)
                .transport(network.transportProvider())
                .listen("mem://" + name)
                .start();
        open.add(peer);
        return peer;
    }

    private Peer rendezvous(RendezvousLimits.IndexLimits indexing) {
        Peer rendezvous = start(
                Peer.builder()
                        .multicast(false)
                        .actAsRendezvous()
                        .rendezvousLimits(RendezvousLimits.DEFAULTS.toBuilder()
                                .index(indexing)
                                .build()),
                "rendezvous");
        Eventually.until(() -> "its own is not in the index", () -> indexed(rendezvous) > 0);
        return rendezvous;
    }

    private Peer client(String name) {
        Peer client = start(Peer.builder().multicast(false).rendezvous("mem://rendezvous"), name);
        Eventually.until(
                () -> name + " has no rendezvous",
                () -> !client.rendezvous().rendezvous().isEmpty());
        Eventually.until(
                () -> name + " is not in the index",
                () -> ((GroupDiscovery) client.netGroup().discovery())
                                .metrics()
                                .get(DiscoveryMetrics.Counter.ADVERTISEMENTS_INDEXED)
                        > 0);
        return client;
    }

    /** One that hears those nearby. */
    private Peer neighbour(String name, StoreLimits limits) {
        return start(
                Peer.builder()
                        .propagationTransport(network.propagationProvider())
                        .storeLimits(limits),
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
                peer.netGroup().discovery().find(query(name), SearchOptions.of(PATIENCE, 1)), "a search for " + name);
    }

    /** What has come into being during an attack is known to all, and so is what was there before. */
    private static void assertServed(Peer alice, Peer bob, String name) {
        Eventually.get(publish(alice, name).whenIndexed(), "the publication of " + name);
        assertThat(find(bob, name))
                .singleElement()
                .satisfies(found -> assertThat(found.publisher()).isEqualTo(alice.id()));
    }

    @Test
    void rendezvous_badDocuments_areRefusedEach_andTheGoodOnesBetweenThemTaken() {
        Peer rendezvous = rendezvous(RendezvousLimits.IndexLimits.DEFAULTS);
        HostilePeer mallory = hostile("rendezvous").leased();
        int before = indexed(rendezvous);
        List<Bad> bad = mallory.documents.bad(rendezvous.id());
        for (Bad one : bad) {
            PublishResponse reply = Eventually.get(
                    mallory.publish(List.of(one.bytes(), mallory.documents.pipe("beside " + one.what()))), one.what());
            assertThat(reply.refused()).as(one.what()).isEqualTo(1);
            assertThat(reply.fault())
                    .as(one.what())
                    .isNotNull()
                    .satisfies(fault -> assertThat(fault.code()).isEqualTo(one.fault()));
        }
        assertThat(count(rendezvous, Counter.ADVERTISEMENTS_REJECTED)).isEqualTo(bad.size());
        assertThat(indexed(rendezvous) - before).isEqualTo(bad.size());
        assertWarned("Refused 1 advertisements of peer " + mallory.identity.peerId());
    }

    @Test
    void rendezvous_replayedDocument_doesNotTakeThePlaceOfANewerOne_andIsToldOf() {
        Peer rendezvous = rendezvous(RendezvousLimits.IndexLimits.DEFAULTS);
        Peer bob = client("bob");
        HostilePeer mallory = hostile("rendezvous").leased();
        byte[] older = mallory.documents.pipe("pipe");
        byte[] newer = mallory.documents.pipe("pipe");

        Eventually.get(mallory.publish(List.of(newer)), "the newer one");
        long stored = count(rendezvous, Counter.ADVERTISEMENTS_STORED);
        Eventually.get(mallory.publish(List.of(older)), "the older one");

        assertThat(count(rendezvous, Counter.ADVERTISEMENTS_OUTDATED)).isEqualTo(1);
        assertThat(count(rendezvous, Counter.ADVERTISEMENTS_STORED)).isEqualTo(stored);
        assertWarned("Ignored 1 advertisements of peer " + mallory.identity.peerId());
        assertThat(find(bob, "pipe"))
                .singleElement()
                .satisfies(found -> assertThat(found.toByteArray()).isEqualTo(newer));
    }

    @Test
    void rendezvous_somebodyElsesDocument_isNotTakenFromAClient() {
        Peer rendezvous = rendezvous(RendezvousLimits.IndexLimits.DEFAULTS);
        HostilePeer mallory = hostile("rendezvous").leased();
        HostilePeer trent = hostile("rendezvous");
        int before = indexed(rendezvous);

        PublishResponse reply =
                Eventually.get(mallory.publish(List.of(trent.documents.pipe("pipe"))), "what somebody else has signed");

        assertThat(reply.fault())
                .isNotNull()
                .satisfies(fault -> assertThat(fault.code()).isEqualTo(ErrorCode.IDENTITY_REFUSED));
        assertThat(indexed(rendezvous)).isEqualTo(before);
    }

    @Test
    void rendezvous_floodOfOneClient_staysWithinItsRateAndQuota() {
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
        long takenBefore = count(rendezvous, Counter.ADVERTISEMENTS_STORED);
        int before = indexed(rendezvous);

        CompletableFuture<Void> flood =
                CompletableFuture.runAsync(() -> mallory.floodWithAdvertisements(0, advertisements));
        assertServed(alice, bob, "meanwhile");
        flood.join();
        assertServed(alice, bob, "afterwards");

        long taken = count(rendezvous, Counter.ADVERTISEMENTS_STORED) - takenBefore - 2;
        long overQuota = count(rendezvous, Counter.ADVERTISEMENTS_OVER_QUOTA);
        long turnedAway = mallory.turnedAway();
        System.out.println("flood of one client: " + advertisements + " advertisements, " + taken + " taken, "
                + overQuota + " over the quota, " + turnedAway + " too many at a time; the index has "
                + indexed(rendezvous) + " in " + indexedBytes(rendezvous) + " bytes");
        assertThat(indexed(rendezvous) - before - 2).isBetween(1, quota);
        assertThat(taken).isBetween(1L, (long) quota);
        assertThat(count(rendezvous, Counter.ADVERTISEMENTS_THROTTLED)).isLessThanOrEqualTo(turnedAway);
        // Who signs so many gets ahead of the clock.
        long ofTheFuture = count(rendezvous, Counter.ADVERTISEMENTS_REJECTED);
        assertThat(taken + overQuota + ofTheFuture + turnedAway).isEqualTo(advertisements);
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
        int most = 3000;
        long mostBytes = 8 << 20;
        int quota = 100;
        Peer rendezvous = rendezvous(RendezvousLimits.IndexLimits.DEFAULTS.toBuilder()
                .maxEntries(most)
                .maxBytes(mostBytes)
                .maxAdvertisementsPerClient(quota)
                .maxBytesPerClient(1 << 20)
                .publicationsPerSecond(NO_RATE)
                .build());
        Peer alice = client("alice");
        Peer bob = client("bob");
        Eventually.get(publish(alice, "before").whenIndexed(), "a publication");
        List<HostilePeer> many = new ArrayList<>();
        for (int i = 0; i < identities; i++) {
            many.add(hostile("rendezvous").leased());
        }

        CompletableFuture<Void> flood = CompletableFuture.allOf(many.stream()
                .map(mallory -> CompletableFuture.runAsync(
                        () -> mallory.floodWithAdvertisements(0, advertisements / identities)))
                .toArray(CompletableFuture<?>[]::new));
        while (!flood.isDone()) {
            assertThat(find(bob, "before")).hasSize(1);
            assertThat(indexed(rendezvous)).isLessThanOrEqualTo(most);
            assertThat(indexedBytes(rendezvous)).isLessThanOrEqualTo(mostBytes);
        }
        flood.join();

        long turnedAway = many.stream().mapToLong(HostilePeer::turnedAway).sum();
        System.out.println("flood of " + identities + " identities: " + advertisements + " advertisements, "
                + count(rendezvous, Counter.ADVERTISEMENTS_STORED) + " taken, "
                + count(rendezvous, Counter.ADVERTISEMENTS_OVER_QUOTA) + " over a quota or the bound, "
                + turnedAway + " too many at a time; the index has "
                + indexed(rendezvous) + " in " + indexedBytes(rendezvous) + " bytes");
        assertThat(count(rendezvous, Counter.ADVERTISEMENTS_OVER_QUOTA)).isPositive();
        assertThat(count(rendezvous, Counter.ADVERTISEMENTS_OVER_QUOTA)
                        + count(rendezvous, Counter.ADVERTISEMENTS_STORED)
                        + turnedAway)
                .isGreaterThanOrEqualTo(advertisements);
        assertThat(find(bob, "before")).hasSize(1);
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
        HostilePeer stranger = hostile("rendezvous");
        ServiceAddress service = ServiceAddress.of("gossip");
        AtomicInteger spam = new AtomicInteger();
        CompletableFuture<Message> heard = new CompletableFuture<>();
        role(bob).propagator(GroupId.NET).listen(service, (sender, message) -> {
            if (sender.peer().equals(alice.id())) {
                heard.complete(message);
            } else {
                spam.incrementAndGet();
            }
        });
        int messages = 10_000;

        CompletableFuture<Void> flood = CompletableFuture.runAsync(() -> {
            HostilePeer.flood(messages, i -> mallory.say(said(mallory, mallory, i, service)));
            HostilePeer.flood(100, i -> stranger.say(said(stranger, stranger, i, service)));
            HostilePeer.flood(100, i -> mallory.say(said(stranger, mallory, i, service)));
        });
        assertServed(alice, bob, "meanwhile");
        flood.join();
        Eventually.until(() -> "alice is not heard", () -> {
            role(alice).propagator(GroupId.NET).propagate(service, Message.of("text", "hello"));
            return heard.isDone();
        });

        Eventually.until(
                () -> "not all has been looked at",
                () -> count(rendezvous, Counter.GROUP_MESSAGES_THROTTLED)
                                + count(rendezvous, Counter.GROUP_MESSAGES_FORWARDED)
                        >= messages);
        assertThat(count(rendezvous, Counter.GROUP_MESSAGES_THROTTLED)).isGreaterThan(messages / 2);
        assertThat(count(rendezvous, Counter.GROUP_MESSAGES_REJECTED)).isGreaterThanOrEqualTo(200);
        assertThat((long) spam.get()).isLessThanOrEqualTo(count(rendezvous, Counter.GROUP_MESSAGES_FORWARDED));
        assertWarned("group message from peer");
    }

    /** What one peer has made, in another's name or its own. */
    private static SignedGroupMessage said(HostilePeer signer, HostilePeer brings, int number, ServiceAddress service) {
        return SignedGroupMessage.sign(
                signer.identity,
                List.of(),
                ((long) brings.hashCode() << 32) + number,
                System.currentTimeMillis(),
                GroupId.NET,
                service,
                Message.of("text", "spam " + number),
                64 << 10);
    }

    @Test
    void rendezvous_floodOfQuestions_isAnsweredAtItsRateOnly() {
        Peer rendezvous = rendezvous(RendezvousLimits.IndexLimits.DEFAULTS);
        Peer alice = client("alice");
        Peer bob = client("bob");
        HostilePeer mallory = hostile("rendezvous").leased();
        long before = count(rendezvous, Counter.SEARCHES);
        AtomicInteger answered = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        IndexSearchRequest request = new IndexSearchRequest(
                GroupId.NET,
                DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME).with("Name", "*x*"),
                0,
                100,
                false,
                PATIENCE);

        int questions = 10_000;
        long began = System.nanoTime();
        CompletableFuture<Void> flood = CompletableFuture.runAsync(() -> HostilePeer.flood(
                questions,
                i -> mallory.askOverlay(RendezvousContext.FIND, request.write())
                        .whenComplete((answer, failure) -> (failure == null ? answered : refused).incrementAndGet())));
        assertServed(alice, bob, "meanwhile");
        flood.join();
        long most = mostAsks(began);
        long finds = count(rendezvous, Counter.SEARCHES) - before;

        assertThat(answered.get() + refused.get()).isEqualTo(questions);
        assertThat(finds).isBetween((long) answered.get(), most + FINDS_OF_OTHERS);
        assertWarned(refused.get() > 0, "Refused a question of peer " + mallory.identity.peerId());
    }

    /** What the rate lets through of one peer since then: two seconds' worth at once, and what has come to it. */
    private static long mostAsks(long beganNanos) {
        long perSecond = ResolverLimits.DEFAULTS.queriesPerSecond();
        return 2 * perSecond + perSecond * (System.nanoTime() - beganNanos) / 1_000_000_000L + 1;
    }

    @Test
    void rendezvous_strangerWithoutALease_getsNothing() {
        Peer rendezvous = rendezvous(RendezvousLimits.IndexLimits.DEFAULTS);
        HostilePeer mallory = hostile("rendezvous");
        IndexSearchRequest request = new IndexSearchRequest(GroupId.NET, query("pipe"), 0, 100, false, PATIENCE);
        int before = indexed(rendezvous);

        Eventually.failure(mallory.publish(List.of(mallory.documents.pipe("pipe"))), "publishing");
        Eventually.failure(
                mallory.askOverlay(
                        RendezvousContext.REPLICATE, PublishResponse.request(List.of(mallory.documents.pipe("pipe")))),
                "replicating");
        Eventually.failure(mallory.askOverlay(RendezvousContext.FIND, request.write()), "searching");

        assertThat(count(rendezvous, Counter.REQUESTS_UNAUTHORIZED)).isEqualTo(3);
        assertThat(indexed(rendezvous)).isEqualTo(before);
    }

    @Test
    void peer_badDocumentsAsAnswers_areRefusedEach_andTheSearchGoesOn() {
        Peer alice = neighbour("alice", StoreLimits.DEFAULTS);
        GroupDiscovery discovery = (GroupDiscovery) alice.netGroup().discovery();
        HostilePeer mallory = hostile("alice");
        List<Bad> bad = mallory.documents.bad(alice.id());
        mallory.net.registerHandler("discovery", question -> {
            List<byte[]> answer = new ArrayList<>(bad.stream().map(Bad::bytes).toList());
            answer.add(mallory.documents.pipe("wanted"));
            return CompletableFuture.completedFuture(
                    Optional.of(DiscoveryMessages.page(new IndexPage(answer, OptionalInt.empty(), 0))));
        });

        assertThat(find(alice, "wanted")).hasSize(1);

        Eventually.until(
                () -> "refused: " + discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_REJECTED),
                () -> discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_REJECTED)
                                + discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_OUTDATED)
                        == bad.size());
        assertThat(discovery.findLocal(DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME), 100))
                .hasSize(1);
        assertWarned("A document that was sent in group " + GroupId.NET + " is refused");
    }

    @Test
    void peer_replayedDocument_doesNotTakeThePlaceOfANewerOne_andIsToldOf() {
        Peer alice = neighbour("alice", StoreLimits.DEFAULTS);
        GroupDiscovery discovery = (GroupDiscovery) alice.netGroup().discovery();
        HostilePeer mallory = hostile("alice");
        byte[] older = mallory.documents.pipe("pipe");
        byte[] newer = mallory.documents.pipe("pipe");
        byte[] last = mallory.documents.pipe("pipe, too");
        mallory.net.registerHandler(
                "discovery",
                question -> CompletableFuture.completedFuture(Optional.of(
                        DiscoveryMessages.page(new IndexPage(List.of(newer, older, last), OptionalInt.empty(), 0)))));

        assertThat(Eventually.get(discovery.find(query("pipe*"), SearchOptions.of(PATIENCE, 2)), "a search"))
                .extracting(SignedAdvertisement::toByteArray)
                .containsExactlyInAnyOrder(newer, last);

        assertThat(discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_OUTDATED))
                .isEqualTo(1);
        assertThat(discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_REJECTED))
                .isZero();
        assertThat(log.lines("A document that was sent in group " + GroupId.NET + " is outdated"))
                .singleElement()
                .satisfies(line -> assertThat(line).contains("INFO"));
    }

    @Test
    void peer_floodOfQuestions_isAnsweredAtItsRateOnly() {
        Peer alice = neighbour("alice", StoreLimits.DEFAULTS);
        publish(alice, "pipe");
        HostilePeer mallory = hostile("alice");
        HostilePeer bob = hostile("alice");
        Message question = DiscoveryMessages.request(new PageRequest(query("*"), 0, 100, false));
        AtomicInteger refused = new AtomicInteger();

        int questions = 10_000;
        long began = System.nanoTime();
        HostilePeer.flood(
                questions,
                i -> mallory.askNet("discovery", question)
                        .whenComplete((answer, failure) -> refused.addAndGet(failure == null ? 0 : 1)));
        long most = mostAsks(began);

        assertThat(Eventually.get(bob.askNet("discovery", question), "an answer")
                        .elements())
                .isNotEmpty();
        ResolverMetrics metrics = ((JoinedGroup) alice.netGroup()).resolver().metrics();
        assertThat(metrics.get(ResolverMetrics.Counter.QUERIES_THROTTLED)).isEqualTo(refused.get());
        assertThat((long) questions - refused.get()).isBetween(1L, most);
        assertWarned(refused.get() > 0, "Refused a question of peer " + mallory.identity.peerId());
    }

    @Test
    void peer_floodOfPropagatedQuestions_isAnsweredAtItsRateOnly() {
        Peer alice = neighbour("alice", StoreLimits.DEFAULTS);
        publish(alice, "pipe");
        HostilePeer mallory = hostile("alice");
        HostilePeer bob = hostile("alice");
        Message question = DiscoveryMessages.request(new PageRequest(query("pipe"), 0, 100, false));
        int questions = 5_000;
        PropagateOptions options = new PropagateOptions(PATIENCE, 1);

        for (int i = 0; i < questions; i++) {
            mallory.net.propagate("discovery", question, options, answer -> {}).closeAsync();
        }

        PropagatedQuery answers = bob.net.propagate("discovery", question, options, answer -> {});
        assertThat(Eventually.get(answers.whenDone(), "an answer")).isEqualTo(1);
        ResolverMetrics metrics = ((JoinedGroup) alice.netGroup()).resolver().metrics();
        assertThat(metrics.get(ResolverMetrics.Counter.QUERIES_THROTTLED)).isPositive();
        assertThat(metrics.get(ResolverMetrics.Counter.QUERIES_HANDLED)).isLessThan(questions / 2);
        assertWarned("Threw away a propagated question of peer " + mallory.identity.peerId());
    }

    @Test
    void peer_announcementsOfMany_fillItsStoreAndNoMore() {
        StoreLimits limits = StoreLimits.DEFAULTS.toBuilder().maxEntries(50).build();
        Peer alice = neighbour("alice", limits);
        publish(alice, "pipe");
        GroupDiscovery discovery = (GroupDiscovery) alice.netGroup().discovery();
        for (int i = 0; i < 100; i++) {
            HostilePeer one = hostile("alice");
            one.net.propagate(
                    "announce",
                    DiscoveryMessages.documents(List.of(one.documents.self())).build(),
                    new PropagateOptions(PATIENCE, 1),
                    answer -> {});
        }

        Eventually.until(
                () -> "announcements taken: "
                        + discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_ACCEPTED),
                () -> discovery.metrics().get(DiscoveryMetrics.Counter.ADVERTISEMENTS_ACCEPTED) == 100);
        assertThat(discovery.findLocal(DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME), 1000))
                .hasSizeBetween(1, limits.maxEntries() + 1); // its own is not among those that are bounded
        assertThat(find(alice, "pipe")).hasSize(1);
    }
}
