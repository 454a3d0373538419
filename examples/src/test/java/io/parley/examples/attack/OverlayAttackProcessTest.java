package io.parley.examples.attack;

import static io.parley.examples.attack.AttackScene.print;
import static io.parley.examples.attack.AttackScene.size;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.RdvAdvertisement;
import io.parley.advertisement.RouteAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.discovery.internal.RemoteIndex;
import io.parley.examples.attack.AttackClient.Greeting;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Attacks on the peer view, the index, the leases, the store and the group messages of a rendezvous in a process with 256 MiB of
 * heap and default limits. The long form is {@code .ci/campaign-attacks}.
 */
@Tag("process")
@Tag("attack")
@Timeout(300)
class OverlayAttackProcessTest {

    @RegisterExtension
    static final AttackScene SCENE = new AttackScene();

    private static final AdvertisementCodec DOCUMENTS = AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS);
    private static final GroupId OVERLAY_GROUP = GroupId.ofName("parley rendezvous");
    private static final int INVENTED = 255;
    private static final int RENDEZVOUS = 6;
    private static final int ENTRIES_OF_A_MESSAGE = 63;

    /** The lease of a rendezvous, and time for the removal. */
    private static final Duration LEASE = Duration.ofSeconds(120 + 30);

    private final List<Peer> peers = new ArrayList<>();

    @AfterEach
    void closePeers() {
        peers.forEach(Peer::close);
    }

    private static String host(int network, int number) {
        return "127." + network + ".0." + (1 + number);
    }

    private static byte[] sign(Identity publisher, Advertisement advertisement, GroupId group) {
        return new AdvertisementSigner(publisher, DOCUMENTS, Clock.systemUTC())
                .sign(advertisement, group)
                .toByteArray();
    }

    private static byte[] pipe(AttackClient publisher, String name, int bytes) {
        PipeId id = PipeId.ofName(GroupId.NET, name);
        return sign(
                publisher.identity(),
                new PipeAdvertisement(AdvertisementId.of(id), PipeType.UNICAST, name, "x".repeat(bytes)),
                GroupId.NET);
    }

    // -- leases

    @Test
    void queriesOfPeersThatDoNotRead_leaveRoomForLeases() {
        SCENE.sustain(OverlayAttackProcessTest::queryWithoutReading);
    }

    private static void queryWithoutReading() {
        List<AttackClient> clients = SCENE.net().connect(4, i -> host(21, i), Greeting.USUAL);
        int queries = size(500, 2600);
        AttackNet.openAll(clients, 1, ResolverQueries.OVERLAY, "binary");
        clients.forEach(AttackClient::ignoreOpens);
        for (int i = 0; i < queries; i++) {
            for (AttackClient client : clients) {
                client.awaitCredit(1);
                ResolverQueries.requestLease(client);
            }
        }
        clients.forEach(AttackClient::awaitProcessed);
        assertThat(clients).allMatch(AttackClient::isOpen);
        for (int i = 0; i < 3; i++) {
            SCENE.leased(host(22, i));
        }
    }

    // -- index

    /** Five clients with all documents that one may publish need more memory than the index has. */
    @EnabledIfSystemProperty(named = "parley.test.attacks", matches = "true")
    @Test
    void indexFilledByFiveHosts_takesADocumentOfAnotherOne_andLosesTheirsALeaseLater() {
        List<AttackClient> clients =
                IntStream.range(0, 5).mapToObj(i -> SCENE.leased(host(23, i))).toList();
        int accepted = 0;
        int refused = 0;
        String reason = "";
        for (int i = 0; i < 92; i++) {
            for (AttackClient client : clients) {
                List<byte[]> documents = new ArrayList<>();
                for (int k = 0; k < 3; k++) {
                    documents.add(pipe(client, "spam " + client.identity().peerId() + " " + i + "." + k, 60_000));
                }
                client.awaitCredit(1);
                String refusal = Eventually.get(ResolverQueries.publish(client, documents), "a publication");
                if (refusal.isEmpty()) {
                    accepted++;
                } else {
                    refused++;
                    reason = refusal;
                }
            }
        }
        print(accepted + " publications were accepted, " + refused + " refused: " + reason);
        assertThat(refused).isPositive();
        AttackClient honest = SCENE.leased(host(24, 0));
        assertThat(Eventually.get(
                        ResolverQueries.publish(honest, List.of(pipe(honest, "honest", 2000))), "a publication"))
                .isEmpty();
        assertThat(find("honest")).isEqualTo(1);
        assertThat(find("spam*")).isEqualTo(1);
        clients.forEach(AttackClient::crash);
        long left = System.nanoTime();
        while (find("spam*") > 0) {
            assertThat(Duration.ofNanos(System.nanoTime() - left)).isLessThan(LEASE);
            SCENE.honest().awaitRounds(10);
        }
        print("documents were gone after "
                + Duration.ofNanos(System.nanoTime() - left).toSeconds() + " s");
    }

    private static long find(String pattern) {
        AttackClient reader = SCENE.leased(host(24, 1));
        try {
            return Eventually.get(ResolverQueries.find(reader, pattern), "a search");
        } finally {
            reader.close();
        }
    }

    // -- store

    /**
     * A search stores what it finds: 4500 documents of 60 KB, which is more than the heap. Documents that are withdrawn leave room in
     * the index for the next ones.
     */
    @EnabledIfSystemProperty(named = "parley.test.attacks", matches = "true")
    @Test
    void documentsOf14Days_doNotFillTheHeapOfAStoreInMemory() {
        int found = 0;
        for (int flood = 0; flood < 3; flood++) {
            int firstHost = 5 * flood;
            List<AttackClient> clients = IntStream.range(0, 5)
                    .mapToObj(i -> SCENE.leased(host(29, firstHost + i)))
                    .toList();
            for (int i = 0; i < 100; i++) {
                String prefix = "flood " + flood + " " + i;
                publishAll(clients, prefix, Duration.ofDays(14), 60_000);
                found += SCENE.attacked().search(prefix + " *");
                publishAll(clients, prefix, RemoteIndex.WITHDRAWAL_EXPIRATION, 1); // in place of the long ones
            }
            clients.forEach(AttackClient::close);
        }
        print(found + " documents of 14 days were found");
        assertThat(found).isGreaterThan(4400);
        AttackClient honest = SCENE.leased(host(24, 2));
        assertThat(Eventually.get(
                        ResolverQueries.publish(honest, List.of(pipe(honest, "another honest one", 2000))),
                        "a publication"))
                .isEmpty();
        assertThat(SCENE.attacked().search("another honest one")).isEqualTo(1);
    }

    private static void publishAll(List<AttackClient> clients, String prefix, Duration validity, int chars) {
        for (AttackClient client : clients) {
            client.awaitCredit(1);
            assertThat(Eventually.get(
                            ResolverQueries.publish(client, pipes(client, prefix, validity, chars)), "a publication"))
                    .isEmpty();
        }
    }

    private static List<byte[]> pipes(AttackClient publisher, String prefix, Duration validity, int chars) {
        AdvertisementSigner signer = new AdvertisementSigner(publisher.identity(), DOCUMENTS, Clock.systemUTC());
        return IntStream.range(0, 3)
                .mapToObj(k -> prefix + " " + k + " " + publisher.identity().peerId())
                .map(name -> new PipeAdvertisement(
                        AdvertisementId.of(PipeId.ofName(GroupId.NET, name)),
                        PipeType.UNICAST,
                        name,
                        "x".repeat(chars)))
                .map(pipe -> signer.sign(pipe, GroupId.NET, Duration.ofDays(14), validity)
                        .toByteArray())
                .toList();
    }

    // -- group messages

    @Test
    void floodOfGroupMessages_leavesThoseOfOthers() throws InterruptedException {
        AttackClient alice = sender(host(25, 0));
        AttackClient bob = SCENE.leased(host(26, 0));
        AtomicInteger honest = new AtomicInteger();
        AtomicInteger spam = new AtomicInteger();
        bob.onMessage(message -> {
            boolean ofAlice =
                    ResolverQueries.sender(message).equals(alice.identity().peerId());
            (ofAlice ? honest : spam).incrementAndGet();
        });
        AtomicBoolean end = new AtomicBoolean();
        List<Thread> flood = IntStream.range(0, 5)
                .mapToObj(i -> sender(host(27, i)))
                .map(mallory -> new Thread(() -> flood(mallory, end), "flood"))
                .toList();
        flood.forEach(Thread::start);
        int messages = size(50, 500);
        try {
            Eventually.until(() -> "no flood", () -> spam.get() > 100);
            for (int i = 0; i < messages; i++) {
                alice.awaitCredit(2);
                ResolverQueries.sendToGroup(alice, 2, i, "hello");
                SCENE.honest().awaitRounds(1);
            }
            Eventually.until(() -> honest + " of " + messages + " messages", () -> honest.get() >= messages * 9 / 10);
        } finally {
            end.set(true);
            for (Thread thread : flood) {
                thread.join();
            }
        }
        print(honest + " of " + messages + " messages, and " + spam + " of the flood");
    }

    private static AttackClient sender(String from) {
        AttackClient client = SCENE.leased(from);
        client.open(2, ResolverQueries.GROUP_MESSAGES, "binary");
        Eventually.until(() -> "no response to OPEN", () -> client.response(2) != null);
        assertThat(client.response(2)).isEqualTo("OPENED");
        return client;
    }

    private static void flood(AttackClient mallory, AtomicBoolean end) {
        for (int i = 0; !end.get() && mallory.isOpen(); i++) {
            mallory.awaitCredit(2);
            ResolverQueries.sendToGroup(mallory, 2, i, "spam");
        }
    }

    // -- peer view

    @EnabledIfSystemProperty(named = "parley.test.attacks", matches = "true")
    @Test
    void inventedRendezvous_getNoReplicas_andSearchesSucceed() {
        List<Peer> rendezvous = IntStream.range(1, RENDEZVOUS)
                .mapToObj(i -> start("rendezvous " + i, true))
                .toList();
        rendezvous.forEach(peer -> Eventually.until(
                () -> peer.name() + " knows " + peer.rendezvous().rendezvous(),
                () -> peer.rendezvous().rendezvous().size() == RENDEZVOUS - 1));
        AttackClient mallory = SCENE.leased(host(28, 0));
        List<byte[]> entries = IntStream.range(0, INVENTED)
                .mapToObj(i -> entry(Identity.generate(), "tcp://127.28.1." + i + ":9"))
                .toList();
        for (int round = 0; round < 3; round++) {
            for (int from = 0; from < INVENTED; from += ENTRIES_OF_A_MESSAGE) {
                List<byte[]> sent = new ArrayList<>();
                sent.add(entry(mallory.identity(), "tcp://127.28.0.1:9"));
                sent.addAll(entries.subList(from, Math.min(INVENTED, from + ENTRIES_OF_A_MESSAGE)));
                mallory.awaitCredit(1);
                ResolverQueries.sendEntries(mallory, sent);
            }
            SCENE.honest().awaitRounds(250); // more than the interval of the exchange between rendezvous
        }
        Peer alice = start("alice", false);
        int found = 0;
        for (int i = 0; i < 6; i++) {
            String name = "rain " + i;
            PipeId id = PipeId.ofName(GroupId.NET, name);
            Eventually.get(
                    alice.netGroup()
                            .discovery()
                            .publish(PipeAdvertisement.of(id, PipeType.UNICAST, name))
                            .whenIndexed(),
                    "a publication");
            Peer reader = i == 0 ? start("bob", false) : rendezvous.get(i - 1);
            found += Eventually.get(
                            reader.netGroup()
                                    .discovery()
                                    .find(
                                            DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                                                    .with("Name", name),
                                            SearchOptions.of(Duration.ofSeconds(5), 1)),
                            "a search")
                    .size();
        }
        assertThat(found).isEqualTo(6);
    }

    private static byte[] entry(Identity rendezvous, String address) {
        return sign(
                rendezvous,
                new RdvAdvertisement(
                        AdvertisementId.of(OVERLAY_GROUP),
                        AdvertisementId.of(rendezvous.peerId()),
                        "rendezvous",
                        null,
                        RouteAdvertisement.of(rendezvous.peerId(), List.of(address))),
                OVERLAY_GROUP);
    }

    /** Starts a rendezvous, or a client, of the attacked peer. */
    private Peer start(String name, boolean rendezvous) {
        var builder = Peer.builder()
                .name(name)
                .multicast(false)
                .rendezvous(SCENE.attacked().address());
        Peer peer = (rendezvous ? builder.actAsRendezvous().listen("tcp://127.0.0.1:0") : builder).start();
        peers.add(peer);
        Eventually.get(peer.whenOnline(), name + " to be online");
        return peer;
    }
}
