package io.parley.discovery.internal;

import static io.parley.discovery.internal.DiscoveryFixture.GROUP;
import static io.parley.discovery.internal.DiscoveryFixture.LONG;
import static io.parley.discovery.internal.DiscoveryFixture.assertFails;
import static io.parley.discovery.internal.DiscoveryFixture.names;
import static io.parley.discovery.internal.DiscoveryFixture.pipe;
import static io.parley.discovery.internal.DiscoveryFixture.pipes;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.discovery.DiscoveryLimits;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Publication;
import io.parley.discovery.SearchOptions.Scope;
import io.parley.discovery.internal.DiscoveryFixture.TestPeer;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Invalid input of other peers is dropped and counted, and does not affect valid input. */
class DiscoveryHostilePeerTest {

    private static final AdvertisementCodec LAX = AdvertisementCodec.builtIn(AdvertisementLimits.DEFAULTS.toBuilder()
            .maxDocumentBytes(1 << 20)
            .maxLifetime(Duration.ofDays(3000))
            .maxExpiration(Duration.ofDays(3000))
            .build());

    private final DiscoveryFixture fixture = new DiscoveryFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    private static SignedAdvertisement sign(Advertisement advertisement, GroupId group, Clock clock, Duration lives) {
        return new AdvertisementSigner(Identity.generate(), LAX, clock).sign(advertisement, group, lives, lives);
    }

    private byte[] good(String name) {
        return sign(pipe(name), GROUP, fixture.clock, Duration.ofHours(1)).toByteArray();
    }

    private List<String> findAmong(TestPeer testPeer, byte[]... documents) {
        fixture.index.additionalDocuments.clear();
        fixture.index.additionalDocuments.addAll(List.of(documents));
        return names(Eventually.get(testPeer.find("rain", 10, Scope.LOCAL_AND_REMOTE), "search"));
    }

    @Test
    void invalidDocuments_areDroppedAndCounted_andValidOnesArrive() {
        TestPeer bob = fixture.startIndexed();
        byte[] forged = good("rain");
        forged[forged.length - 1] ^= 1;
        byte[] changed = good("rain");
        changed[90] ^= 1;
        byte[] oversized = sign(
                        new PipeAdvertisement(pipe("x").id(), PipeType.UNICAST, "rain", "y".repeat(70_000)),
                        GROUP,
                        fixture.clock,
                        Duration.ofHours(1))
                .toByteArray();
        byte[] overLong =
                sign(pipe("rain"), GROUP, fixture.clock, Duration.ofDays(100)).toByteArray();
        byte[] elsewhere = sign(
                        PipeAdvertisement.of(PipeId.random(GroupId.NET), PipeType.UNICAST, "rain"),
                        GroupId.NET,
                        fixture.clock,
                        Duration.ofHours(1))
                .toByteArray();
        byte[] ofTheFuture = sign(
                        pipe("rain"), GROUP, Clock.offset(fixture.clock, Duration.ofDays(1)), Duration.ofHours(1))
                .toByteArray();
        assertThat(findAmong(
                        bob,
                        good("rain"),
                        forged,
                        changed,
                        oversized,
                        overLong,
                        elsewhere,
                        ofTheFuture,
                        new byte[0],
                        new byte[10_000],
                        good("rain")))
                .containsExactly("rain", "rain");
        assertThat(bob.count(Counter.ADVERTISEMENTS_REJECTED)).isEqualTo(8);
        assertThat(bob.count(Counter.ADVERTISEMENTS_ACCEPTED)).isEqualTo(2);
        assertThat(bob.store().count()).isEqualTo(2);
    }

    @Test
    void expired_isDropped_asOutdated() {
        TestPeer bob = fixture.startIndexed();
        byte[] expired = good("rain");
        fixture.clock.advance(Duration.ofHours(1));
        assertThat(findAmong(bob, expired, good("rain"))).containsExactly("rain");
        assertThat(bob.count(Counter.ADVERTISEMENTS_OUTDATED)).isEqualTo(1);
        assertThat(bob.count(Counter.ADVERTISEMENTS_REJECTED)).isZero();
    }

    @Test
    void documentThatLivesLong_isStoredAsLongAsOthersStoreOwnOnes() {
        TestPeer bob = fixture.startIndexed();
        byte[] longLived =
                sign(pipe("rain"), GROUP, fixture.clock, Duration.ofDays(14)).toByteArray();
        assertThat(findAmong(bob, longLived)).containsExactly("rain");
        fixture.clock.advance(Duration.ofMillis(1));
        assertThat(findAmong(bob, longLived)).containsExactly("rain");
        assertThat(bob.count(Counter.ADVERTISEMENTS_ACCEPTED)).isEqualTo(1);
        DiscoveryQuery pipes = DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME);
        fixture.clock.advance(AdvertisementSigner.DEFAULT_EXPIRATION.minusSeconds(1));
        assertThat(bob.discovery().findLocal(pipes, 10)).hasSize(1);
        fixture.clock.advance(Duration.ofSeconds(1));
        assertThat(bob.discovery().findLocal(pipes, 10)).isEmpty();
        assertThat(findAmong(bob, longLived)).containsExactly("rain");
    }

    @Test
    void unsolicited_isNotStored() {
        TestPeer bob = fixture.startIndexed();
        assertThat(findAmong(bob, good("sun"), good("rain"), good("snow"))).containsExactly("rain");
        assertThat(bob.count(Counter.ADVERTISEMENTS_UNSOLICITED)).isEqualTo(2);
        assertThat(bob.store().count()).isEqualTo(1);
    }

    @Test
    void tooLargePage_isTruncated() {
        TestPeer bob = fixture.startIndexed();
        byte[][] documents = new byte[1000][0];
        documents[0] = good("rain");
        documents[999] = good("rain");
        assertThat(findAmong(bob, documents)).containsExactly("rain");
        assertThat(bob.count(Counter.ADVERTISEMENTS_UNSOLICITED)).isEqualTo(799);
        assertThat(bob.count(Counter.ADVERTISEMENTS_REJECTED)).isEqualTo(200);
    }

    @Test
    void valueBeyondStoreLimits_isRejected() {
        TestPeer bob = fixture.startIndexed();
        byte[] longName = sign(pipe("rain" + "n".repeat(3000)), GROUP, fixture.clock, Duration.ofHours(1))
                .toByteArray();
        fixture.index.additionalDocuments.add(longName);
        assertThat(Eventually.get(bob.find("rain*", 10, Scope.LOCAL_AND_REMOTE), "search"))
                .isEmpty();
        assertThat(bob.count(Counter.ADVERTISEMENTS_REJECTED)).isEqualTo(1);
    }

    @Test
    void replayedWithdrawnVersion_isOutdated() {
        TestPeer alice = fixture.startIndexed();
        TestPeer bob = fixture.startIndexed();
        Publication publication = alice.publish("rain");
        Eventually.get(publication.whenIndexed(), "indexing");
        byte[] old = publication.signedAdvertisement().toByteArray();
        publication.close();
        assertThat(findAmong(bob)).isEmpty();
        assertThat(findAmong(bob, old)).isEmpty();
        assertThat(bob.count(Counter.ADVERTISEMENTS_OUTDATED)).isEqualTo(1);
    }

    @Test
    void ownAdvertisement_sentByOtherPeer_isIgnored() {
        TestPeer alice = fixture.startIndexed();
        Publication publication = alice.publish("rain");
        Eventually.get(publication.whenIndexed(), "indexing");
        byte[] old = publication.signedAdvertisement().toByteArray();
        publication.close();
        assertThat(findAmong(alice, old)).isEmpty();
        assertThat(alice.store().count()).isZero();
        assertThat(alice.localNames("*")).isEmpty();
    }

    @Test
    void malformedResponse_isCountedAndLogged_andOthersArrive() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer mallory = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        alice.publish("rain");
        mallory.discovery().close();
        Message malformed =
                Message.of(MessageElement.of("Next", new byte[9]).withNamespace(DiscoveryMessages.NAMESPACE));
        mallory.resolver()
                .registerHandler(
                        DiscoveryQueryHandler.NAME, query -> CompletableFuture.completedFuture(Optional.of(malformed)));
        try (CapturedLog log = new CapturedLog()) {
            CompletableFuture<List<SignedAdvertisement>> found = bob.find("rain", 10, Scope.LOCAL_FIRST);
            bob.awaitCount(Counter.ADVERTISEMENTS_REJECTED, 1);
            bob.awaitCount(Counter.ADVERTISEMENTS_ACCEPTED, 1);
            fixture.advanceWhenDue(DiscoveryLimits.DEFAULTS.collectTimeout());
            assertThat(names(Eventually.get(found, "search"))).containsExactly("rain");
            assertRejectionLoggedOnce(log, mallory);
        }
    }

    private static void assertRejectionLoggedOnce(CapturedLog log, TestPeer sender) {
        assertThat(log.lines("Rejected response from peer " + sender.peer().id()))
                .singleElement()
                .satisfies(line -> assertThat(line).contains("WARN"));
    }

    @Test
    void malformedSecondPage_isCountedAndLogged() {
        TestPeer mallory = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        mallory.discovery().close();
        Message malformed =
                Message.of(MessageElement.of("Next", new byte[9]).withNamespace(DiscoveryMessages.NAMESPACE));
        Message first = DiscoveryMessages.page(new IndexPage(List.of(), OptionalInt.of(1), 0));
        mallory.resolver()
                .registerHandler(
                        DiscoveryQueryHandler.NAME,
                        query ->
                                CompletableFuture.completedFuture(Optional.of(query.propagated() ? first : malformed)));
        try (CapturedLog log = new CapturedLog()) {
            CompletableFuture<List<SignedAdvertisement>> found = bob.find("rain", 10, Scope.LOCAL_FIRST);
            bob.awaitCount(Counter.ADVERTISEMENTS_REJECTED, 1);
            fixture.advanceWhenDue(DiscoveryLimits.DEFAULTS.collectTimeout());
            assertThat(Eventually.get(found, "search")).isEmpty();
            assertRejectionLoggedOnce(log, mallory);
        }
    }

    @Test
    void peerWithEndlessPages_isNotQueriedForever() {
        TestPeer mallory = fixture.startOnLocalNetwork();
        TestPeer bob = fixture.startOnLocalNetwork();
        mallory.discovery().close();
        Message more = DiscoveryMessages.page(new IndexPage(List.of(new byte[1]), OptionalInt.of(1), 0));
        mallory.resolver()
                .registerHandler(
                        DiscoveryQueryHandler.NAME, query -> CompletableFuture.completedFuture(Optional.of(more)));
        CompletableFuture<List<SignedAdvertisement>> found = bob.find("rain", 10, Scope.LOCAL_FIRST);
        bob.awaitCount(Counter.ADVERTISEMENTS_REJECTED, 2);
        fixture.advanceWhenDue(DiscoveryLimits.DEFAULTS.collectTimeout());
        assertThat(Eventually.get(found, "search")).isEmpty();
    }

    @Test
    void malformedQuery_isRejected() {
        TestPeer alice = fixture.startOnLocalNetwork();
        TestPeer mallory = fixture.startOnLocalNetwork();
        mallory.peer().endpoint().addPeerAddress(alice.peer().address());
        for (Message query : List.of(
                Message.EMPTY,
                withLimit(0),
                withLimit(-1),
                request(pipes("x")).with(element("Offset", new byte[] {-1, -1, -1, -1})),
                request(DiscoveryQuery.any()).with(element("Type", new byte[] {'a', 0, 'b'})),
                request(DiscoveryQuery.any()).with(element("Type", new byte[0])),
                request(DiscoveryQuery.any()).with(element("Attribute", new byte[5000])),
                request(DiscoveryQuery.any())
                        .with(element("Pattern", "y".repeat(1025).getBytes(StandardCharsets.UTF_8))))) {
            assertFails(
                    mallory.resolver().query(alice.peer().id(), DiscoveryQueryHandler.NAME, query, LONG),
                    ErrorCode.REJECTED_BY_PEER);
        }
        assertThat(alice.count(Counter.RESPONSES_SENT)).isZero();
    }

    private static Message request(DiscoveryQuery query) {
        return DiscoveryMessages.request(new PageRequest(query, 0, 1, false));
    }

    private static Message withLimit(int limit) {
        return Message.of(element("Limit", ByteBuffer.allocate(8).putLong(limit).array()));
    }

    private static MessageElement element(String name, byte[] bytes) {
        return MessageElement.of(name, bytes).withNamespace(DiscoveryMessages.NAMESPACE);
    }
}
