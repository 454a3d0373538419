package io.parley.group.internal.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.RouteAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemberEntryFactoryTest {

    private static final GroupId GROUP = GroupId.ofName(GroupViewFixture.GROUP);

    private final GroupViewFixture fixture = new GroupViewFixture();
    private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final AdvertisementCodec codec = AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS);
    private final Identity identity = Identity.generate();
    private final AdvertisementSigner signer = new AdvertisementSigner(identity, codec, clock);
    private final Peer peer = fixture.peer("self", builder -> builder.identity(identity));
    private final MemberEntryFactory factory =
            new MemberEntryFactory(peer.endpoint(), GROUP, "self", signer, new AdvertisementVerifier(codec, clock));

    @AfterEach
    void close() {
        fixture.close();
    }

    private byte[] sign(Advertisement advertisement, GroupId in, Duration expiration) {
        return signer.sign(advertisement, in, expiration, expiration).toByteArray();
    }

    private void assertRejected(byte[] document, ErrorCode code, String reason) {
        assertThatThrownBy(() -> factory.verify(document))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(reason);
    }

    @Test
    void entry_isVerifiedAsSigned() {
        MemberEntry signed = factory.sign();
        MemberEntry verified = factory.verify(signed.document());
        assertThat(verified.address()).isEqualTo(peer.endpoint().peerAddress());
        assertThat(verified.address()).isEqualTo(signed.address());
        assertThat(verified.issuedMillis()).isEqualTo(clock.millis()).isEqualTo(signed.issuedMillis());
        assertThat(verified.expiresMillis()).isEqualTo(clock.millis() + MemberEntryFactory.EXPIRATION.toMillis());
        assertThat(verified.document()).isEqualTo(signed.document());
        assertThat(factory.sign().isNewerThan(signed)).isTrue();
    }

    @Test
    void entry_withTheMostAndLongestAddresses_fits() {
        List<String> addresses = IntStream.range(0, 16)
                .mapToObj(i -> "tcp://" + i + "x".repeat(250) + ":65535")
                .toList();
        byte[] document = sign(
                PeerAdvertisement.of(identity.peerId(), GROUP, "n".repeat(200))
                        .withRoute(RouteAdvertisement.of(identity.peerId(), addresses)),
                GROUP,
                MemberEntryFactory.EXPIRATION);
        assertThat(factory.verify(document).address().addresses()).hasSize(16);
    }

    @Test
    void entry_withoutAddresses_isAccepted() {
        byte[] document = sign(PeerAdvertisement.of(identity.peerId(), GROUP, "x"), GROUP, Duration.ofMinutes(1));
        MemberEntry entry = factory.verify(document);
        assertThat(entry.address().addresses()).isEmpty();
        assertThat(entry.expiresMillis())
                .isEqualTo(clock.millis() + Duration.ofMinutes(1).toMillis());
    }

    @Test
    void entry_thatIsValidForLonger_isUsedForTheTimeOfAnEntryOnly() {
        byte[] document = sign(PeerAdvertisement.of(identity.peerId(), GROUP, "x"), GROUP, Duration.ofHours(2));
        assertThat(factory.verify(document).expiresMillis())
                .isEqualTo(clock.millis() + MemberEntryFactory.EXPIRATION.toMillis());
    }

    @Test
    void documents_thatAreNoEntriesOfTheGroup_areRejected() {
        byte[] forged = factory.sign().document().clone();
        forged[forged.length - 1] ^= 1;
        assertRejected(forged, ErrorCode.SIGNATURE_REFUSED, "signature");
        assertRejected(new byte[MemberEntryFactory.MAX_BYTES + 1], ErrorCode.LIMIT_EXCEEDED, "8193 bytes");
        GroupId other = GroupId.ofName("other");
        assertRejected(
                sign(PeerAdvertisement.of(identity.peerId(), other, "x"), other, Duration.ofMinutes(1)),
                ErrorCode.MALFORMED_ADVERTISEMENT,
                "signed in " + other);
        assertRejected(
                sign(
                        PipeAdvertisement.of(PipeId.ofName(GROUP, "x"), PipeType.UNICAST, "x"),
                        GROUP,
                        Duration.ofMinutes(1)),
                ErrorCode.MALFORMED_ADVERTISEMENT,
                "expected: a peer advertisement");
        byte[] old = factory.sign().document();
        clock.advance(MemberEntryFactory.EXPIRATION.plusSeconds(1));
        assertRejected(old, ErrorCode.EXPIRED, "expired at");
    }
}
