package io.parley.rendezvous.internal;

import static io.parley.rendezvous.internal.Publisher.GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousFixture.Node;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IndexQuotaTest {

    private static final int QUOTA = 150;
    private static final int PER_SECOND = 100;

    private final RendezvousFixture fixture = new RendezvousFixture();
    private final Node rendezvous = fixture.rendezvous(RendezvousLimits.DEFAULTS.toBuilder()
            .index(RendezvousLimits.IndexLimits.DEFAULTS.toBuilder()
                    .maxAdvertisementsPerClient(QUOTA)
                    .maxBytesPerClient(1 << 20)
                    .publicationsPerSecond(PER_SECOND)
                    .build())
            .build());

    @AfterEach
    void close() {
        fixture.close();
    }

    private int indexed() {
        return ((RendezvousServer) rendezvous.service()).indexed();
    }

    private static List<byte[]> bytes(List<SignedAdvertisement> advertisements) {
        return advertisements.stream().map(SignedAdvertisement::toByteArray).toList();
    }

    private static PublishResponse response(CompletableFuture<PublishResponse> future) {
        return Eventually.get(future, "a response");
    }

    @Test
    void publish_aboveTheQuota_failsNamingIt_andKeepsTheOldOnes() {
        Node alice = fixture.member(rendezvous);
        List<SignedAdvertisement> pipes = alice.publisher().signPipes("rain ", QUOTA + 1);
        CompletableFuture<Void> published = alice.publish(pipes.toArray(SignedAdvertisement[]::new));
        Throwable failure = Eventually.failure(published, "publishing too much");
        assertThat(failure).hasMessageContaining(QUOTA + " advertisements");
        assertThat(RendezvousFixture.failure(published)).isEqualTo(ErrorCode.REJECTED_BY_PEER);
        assertThat(indexed()).isEqualTo(QUOTA);
        assertThat(alice.find("rain 0")).hasSize(1);
        assertThat(rendezvous.count(Counter.ADVERTISEMENTS_OVER_QUOTA)).isEqualTo(1);
    }

    @Test
    void publish_aboveTheRate_isRetriedByTheClient() {
        Node alice = fixture.member(rendezvous);
        List<SignedAdvertisement> pipes = alice.publisher().signPipes("rain ", QUOTA);
        List<CompletableFuture<Void>> published = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            published.add(alice.publish(pipes.toArray(SignedAdvertisement[]::new)));
        }
        fixture.await("a throttled publication", () -> rendezvous.count(Counter.ADVERTISEMENTS_THROTTLED) > 0);
        fixture.advanceUntil("all publications", () -> published.stream().allMatch(CompletableFuture::isDone));
        assertThat(published).allSatisfy(done -> assertThat(done).isCompleted());
        assertThat(indexed()).isEqualTo(QUOTA);
    }

    @Test
    void publish_ofForgedAdvertisements_isRejected_andTheOthersAreStored() {
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            byte[] forged = Publisher.forge(mallory.publisher.signPipe("rain"));
            byte[] genuine = mallory.publisher.signPipe("snow").toByteArray();
            PublishResponse response =
                    response(mallory.send(RendezvousContext.PUBLISH, List.of(forged, new byte[7], genuine)));
            assertThat(response.refused()).isEqualTo(2);
            assertThat(response.fault()).isNotNull();
            assertThat(String.valueOf(response.fault())).contains("signature");
            assertThat(indexed()).isEqualTo(1);
            assertThat(rendezvous.count(Counter.ADVERTISEMENTS_REJECTED)).isEqualTo(2);
        }
    }

    @Test
    void publish_ofAdvertisementsOfAnotherPeer_isRejected() {
        Publisher carol = new Publisher(Identity.generate(), fixture.clock);
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            PublishResponse response =
                    response(mallory.send(RendezvousContext.PUBLISH, bytes(carol.signPipes("rain", 1))));
            assertThat(response.refused()).isEqualTo(1);
            assertThat(indexed()).isZero();
        }
    }

    @Test
    void publish_withoutALease_orForAnotherGroup_isRefused() {
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous)) {
            List<byte[]> pipes = bytes(mallory.publisher.signPipes("rain", 1));
            assertThat(RendezvousFixture.failure(mallory.send(RendezvousContext.PUBLISH, pipes)))
                    .isEqualTo(ErrorCode.NO_SUCH_SERVICE);
            mallory.leased(GroupId.ofName("traffic"));
            assertThat(response(mallory.send(RendezvousContext.PUBLISH, pipes)).refused())
                    .isEqualTo(1);
            assertThat(indexed()).isZero();
        }
    }

    @Test
    void documentsOfAClientThatLeft_areGoneALeaseLater() {
        Duration lease = Duration.ofSeconds(4);
        Node brief = fixture.rendezvous(RendezvousLimits.DEFAULTS.toBuilder()
                .lease(RendezvousLimits.LeaseLimits.DEFAULTS.toBuilder()
                        .lease(lease)
                        .build())
                .build());
        Node alice = fixture.member(brief);
        Node bob = fixture.member(brief);
        alice.published("rain");
        bob.published("snow");
        fixture.kill(alice);
        fixture.await("alice has a lease", () -> !brief.service().clients().contains(alice.id()));
        Instant left = fixture.clock.instant();
        fixture.advanceUntil("the documents are gone", () -> ((RendezvousServer) brief.service()).indexed() == 1);
        assertThat(Duration.between(left, fixture.clock.instant())).isLessThanOrEqualTo(lease);
        assertThat(bob.find("snow")).hasSize(1);
        assertThat(brief.count(Counter.ADVERTISEMENTS_LAPSED)).isEqualTo(1);
    }

    @Test
    void publish_ofTooManyInOneMessage_isRejected() {
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            assertThat(RendezvousFixture.failure(mallory.send(
                            RendezvousContext.PUBLISH,
                            bytes(mallory.publisher.signPipes("rain", PublishResponse.MAX_DOCUMENTS + 1)))))
                    .isEqualTo(ErrorCode.REJECTED_BY_PEER);
        }
    }

    @Test
    void flood_ofForgedAndGenuinePublications_isLimitedAndCounted_andOthersAreServed() {
        int messages = 1000;
        Node alice = fixture.member(rendezvous);
        alice.published("snow");
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            List<SignedAdvertisement> genuine = mallory.publisher.signPipes("rain ", 4 * QUOTA);
            List<byte[]> documents = new ArrayList<>(bytes(genuine));
            genuine.forEach(signed -> documents.add(Publisher.forge(signed)));
            List<CompletableFuture<?>> sent = new ArrayList<>();
            for (int message = 0; message < messages; message++) {
                List<byte[]> batch = new ArrayList<>();
                for (int i = 0; i < PublishResponse.MAX_DOCUMENTS; i++) {
                    batch.add(documents.get((message * 37 + i * 11) % documents.size()));
                }
                sent.add(mallory.send(RendezvousContext.PUBLISH, batch).handle((response, failure) -> null));
                if (message % 100 == 99) {
                    Eventually.get(CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new)), "the flood");
                    fixture.advance(Duration.ofSeconds(1));
                    alice.published("hail " + message);
                    assertThat(alice.find("hail " + message)).hasSize(1);
                }
            }
        }
        long throttled = rendezvous.count(Counter.ADVERTISEMENTS_THROTTLED);
        assertThat(rendezvous.count(Counter.ADVERTISEMENTS_OUTDATED)).isZero(); // a repeated one is not older
        long verified = rendezvous.count(Counter.ADVERTISEMENTS_STORED)
                + rendezvous.count(Counter.ADVERTISEMENTS_REJECTED)
                + rendezvous.count(Counter.ADVERTISEMENTS_OVER_QUOTA);
        assertThat(throttled + verified).isEqualTo((long) messages * PublishResponse.MAX_DOCUMENTS + 11);
        // The signatures of a burst of two seconds, and of one second for each round, were verified.
        assertThat(verified).isLessThanOrEqualTo((2 + 10) * PER_SECOND + 11);
        assertThat(rendezvous.count(Counter.ADVERTISEMENTS_REJECTED)).isPositive();
        assertThat(indexed()).isBetween(12, QUOTA + 11);
    }
}
