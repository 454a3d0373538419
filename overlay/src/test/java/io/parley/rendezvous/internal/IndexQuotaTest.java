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

    private static PublishResponse reply(CompletableFuture<PublishResponse> future) {
        return Eventually.get(future, "an answer");
    }

    @Test
    void publish_beyondTheQuota_failsNamingIt_andWhatWasThereStays() {
        Node alice = fixture.member(rendezvous);
        List<SignedAdvertisement> pipes = alice.publisher().signPipes("rain ", QUOTA + 1);
        CompletableFuture<Void> published = alice.publish(pipes.toArray(SignedAdvertisement[]::new));
        Throwable failure = Eventually.failure(published, "publishing too much");
        assertThat(failure).hasMessageContaining(QUOTA + " advertisements");
        assertThat(RendezvousFixture.failure(published)).isEqualTo(ErrorCode.LIMIT_EXCEEDED);
        assertThat(indexed()).isEqualTo(QUOTA);
        assertThat(alice.find("rain 0")).hasSize(1);
        assertThat(rendezvous.count(Counter.ADVERTISEMENTS_OVER_QUOTA)).isEqualTo(1);
    }

    @Test
    void publish_fasterThanTheRate_isPacedByTheClient() {
        Node alice = fixture.member(rendezvous);
        List<SignedAdvertisement> pipes = alice.publisher().signPipes("rain ", QUOTA);
        List<CompletableFuture<Void>> published = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            published.add(alice.publish(pipes.toArray(SignedAdvertisement[]::new)));
        }
        fixture.await("some to be too many", () -> rendezvous.count(Counter.ADVERTISEMENTS_THROTTLED) > 0);
        fixture.passUntil("all to be published", () -> published.stream().allMatch(CompletableFuture::isDone));
        assertThat(published).allSatisfy(done -> assertThat(done).isCompleted());
        assertThat(indexed()).isEqualTo(QUOTA);
    }

    @Test
    void publish_ofForgedOnes_isRefused_andTheRestIsTaken() {
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            byte[] forged = Publisher.forge(mallory.publisher.signPipe("rain"));
            byte[] genuine = mallory.publisher.signPipe("snow").toByteArray();
            PublishResponse reply =
                    reply(mallory.send(RendezvousContext.PUBLISH, List.of(forged, new byte[7], genuine)));
            assertThat(reply.refused()).isEqualTo(2);
            assertThat(reply.fault()).isNotNull();
            assertThat(String.valueOf(reply.fault())).contains("signature");
            assertThat(indexed()).isEqualTo(1);
            assertThat(rendezvous.count(Counter.ADVERTISEMENTS_REJECTED)).isEqualTo(2);
        }
    }

    @Test
    void publish_ofWhatOthersHaveSigned_isRefused() {
        Publisher carol = new Publisher(Identity.generate(), fixture.clock);
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            PublishResponse reply = reply(mallory.send(RendezvousContext.PUBLISH, bytes(carol.signPipes("rain", 1))));
            assertThat(reply.refused()).isEqualTo(1);
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
            assertThat(reply(mallory.send(RendezvousContext.PUBLISH, pipes)).refused())
                    .isEqualTo(1);
            assertThat(indexed()).isZero();
        }
    }

    @Test
    void publish_ofTooManyInOneMessage_isRefused() {
        try (UnleasedPeer mallory = new UnleasedPeer(fixture, rendezvous).leased(GROUP)) {
            assertThat(RendezvousFixture.failure(mallory.send(
                            RendezvousContext.PUBLISH,
                            bytes(mallory.publisher.signPipes("rain", PublishResponse.MAX_DOCUMENTS + 1)))))
                    .isEqualTo(ErrorCode.MALFORMED_MESSAGE);
        }
    }

    @Test
    void flood_ofForgedAndGenuinePublications_isBoundedAndCounted_andOthersAreServed() {
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
                sent.add(mallory.send(RendezvousContext.PUBLISH, batch).handle((reply, failure) -> null));
                if (message % 100 == 99) {
                    Eventually.get(CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new)), "the flood");
                    fixture.pass(Duration.ofSeconds(1));
                    alice.published("hail " + message);
                    assertThat(alice.find("hail " + message)).hasSize(1);
                }
            }
        }
        long throttled = rendezvous.count(Counter.ADVERTISEMENTS_THROTTLED);
        assertThat(rendezvous.count(Counter.ADVERTISEMENTS_OUTDATED)).isZero(); // the same one again is not older
        long looked = rendezvous.count(Counter.ADVERTISEMENTS_STORED)
                + rendezvous.count(Counter.ADVERTISEMENTS_REJECTED)
                + rendezvous.count(Counter.ADVERTISEMENTS_OVER_QUOTA);
        assertThat(throttled + looked).isEqualTo((long) messages * PublishResponse.MAX_DOCUMENTS + 11);
        // A burst of two seconds, and one second for each of the rest; so few signatures were looked at.
        assertThat(looked).isLessThanOrEqualTo((2 + 10) * PER_SECOND + 11);
        assertThat(rendezvous.count(Counter.ADVERTISEMENTS_REJECTED)).isPositive();
        assertThat(indexed()).isBetween(12, QUOTA + 11);
    }
}
