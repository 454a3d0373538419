package io.parley.advertisement;

import static io.parley.advertisement.TestPublishers.ALICE;
import static io.parley.advertisement.TestPublishers.MALLORY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.testkit.ManualClock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SignedAdvertisementTest {
    private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");
    private static final PipeAdvertisement PIPE =
            PipeAdvertisement.of(PipeId.ofName(GroupId.NET, "chat"), PipeType.UNICAST, "chat");
    private static final Duration LIFETIME = Duration.ofDays(1);
    private static final Duration EXPIRATION = Duration.ofHours(2);

    /** Offsets of the fields. */
    private static final int PUBLISHER = 5;

    private static final int GROUP = 37;
    private static final int ISSUED = 53;
    private static final int LIFETIME_AT = 61;
    private static final int EXPIRATION_AT = 69;
    private static final int LENGTH = 77;
    private static final int DOCUMENT = 81;

    private final ManualClock clock = new ManualClock(START);
    private final AdvertisementCodec documents = AdvertisementCodec.builtIn(AdvertisementLimits.DEFAULTS);
    private final AdvertisementSigner alice = new AdvertisementSigner(ALICE, documents, clock);
    private final AdvertisementVerifier verifier = new AdvertisementVerifier(documents, clock);

    @Test
    void signed_isVerified_withAllFields() {
        SignedAdvertisement signed = alice.sign(PIPE, GroupId.NET, LIFETIME, EXPIRATION);
        SignedAdvertisement verified = verifier.verify(signed.toByteArray());
        assertThat(verified).isEqualTo(signed).hasSameHashCodeAs(signed);
        assertThat(verified.advertisement()).isEqualTo(PIPE);
        assertThat(verified.publisher()).isEqualTo(ALICE.peerId());
        assertThat(verified.group()).isEqualTo(GroupId.NET);
        assertThat(verified.issuedAt()).isEqualTo(START);
        assertThat(verified.lifetime()).isEqualTo(LIFETIME);
        assertThat(verified.expiration()).isEqualTo(EXPIRATION);
        assertThat(verified.validUntil()).isEqualTo(START.plus(LIFETIME));
        assertThat(verified.expiresAt()).isEqualTo(START.plus(EXPIRATION));
        assertThat(verified.document()).isEqualTo(documents.encode(PIPE));
        assertThat(verified.size()).isEqualTo(145 + verified.document().length).isEqualTo(signed.toByteArray().length);
        assertThat(verified.key())
                .isEqualTo(new AdvertisementKey(
                        GroupId.NET,
                        "jxta:PipeAdvertisement",
                        ALICE.peerId(),
                        PIPE.id().urn()));
    }

    @ParameterizedTest
    @ValueSource(longs = {81, 82})
    void anyAdvertisement_survivesAnEnvelope(long seed) {
        AdvertisementGenerator advertisements = new AdvertisementGenerator(seed);
        for (int i = 0; i < 100; i++) {
            Advertisement advertisement = advertisements.next();
            if (advertisement.publisher().isPresent() || advertisement.group().isPresent()) {
                continue;
            }
            SignedAdvertisement signed = alice.sign(advertisement, GroupId.NET);
            assertThat(verifier.verify(signed.toByteArray()).advertisement()).isEqualTo(advertisement);
        }
    }

    @Test
    void foreignDocument_keepsItsBytes() {
        byte[] document = ("<!DOCTYPE jxta:PipeAdvertisement>\n<jxta:PipeAdvertisement><Future/><Id>" + PIPE.id()
                        + "</Id>\n<Type>JxtaUnicast</Type><Name>chat</Name></jxta:PipeAdvertisement>")
                .getBytes(StandardCharsets.UTF_8);
        SignedAdvertisement verified = verifier.verify(envelope(ALICE, document));
        assertThat(verified.document()).isEqualTo(document);
        assertThat(verified.advertisement()).isEqualTo(PIPE);
    }

    @Test
    void arrays_areCopied() {
        SignedAdvertisement signed = alice.sign(PIPE, GroupId.NET);
        byte[] bytes = signed.toByteArray();
        SignedAdvertisement verified = verifier.verify(bytes);
        Arrays.fill(bytes, (byte) 0);
        Arrays.fill(verified.toByteArray(), (byte) 0);
        Arrays.fill(verified.document(), (byte) 0);
        assertThat(verified).isEqualTo(signed);
    }

    @Test
    void signer_clockStopsOrStepsBackALittle_issuesLaterEachTime() {
        SignedAdvertisement first = alice.sign(PIPE, GroupId.NET);
        SignedAdvertisement second = alice.sign(PIPE, GroupId.NET);
        clock.advance(Duration.ofMinutes(-4));
        SignedAdvertisement third = alice.sign(PIPE, GroupId.NET);
        assertThat(second.supersedes(first)).isTrue();
        assertThat(third.supersedes(second)).isTrue();
        clock.advance(Duration.ofDays(1));
        assertThat(alice.sign(PIPE, GroupId.NET).issuedAt()).isEqualTo(clock.instant());
    }

    /** Otherwise other peers would reject all advertisements until the clock has reached the time of the last one again. */
    @Test
    void signer_clockThatWasAheadIsSetBack_issuesAtThePresentTime() {
        clock.advance(Duration.ofDays(3));
        alice.sign(PIPE, GroupId.NET);
        clock.advance(Duration.ofDays(-3));
        SignedAdvertisement signed = alice.sign(PIPE, GroupId.NET);
        assertThat(signed.issuedAt()).isEqualTo(clock.instant());
        assertThat(verifier.verify(signed.toByteArray())).isEqualTo(signed);
        assertThat(alice.sign(PIPE, GroupId.NET).supersedes(signed)).isTrue();
    }

    @Test
    void signer_foreignAdvertisement_isRejected() {
        PeerAdvertisement mallory = PeerAdvertisement.of(MALLORY.peerId(), GroupId.NET, "m");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> alice.sign(mallory, GroupId.NET))
                .withMessageContaining("publisher");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> alice.sign(PIPE, GroupId.ofName("other")))
                .withMessageContaining("group");
    }

    @Test
    void signer_withDurationsOutOfLimits_isRejected() {
        Duration tooLong = Duration.ofDays(14).plusMillis(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> alice.sign(PIPE, GroupId.NET, tooLong, EXPIRATION))
                .withMessageContaining("lifetime");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> alice.sign(PIPE, GroupId.NET, LIFETIME, tooLong))
                .withMessageContaining("expiration");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> alice.sign(PIPE, GroupId.NET, Duration.ZERO, Duration.ZERO));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> alice.sign(PIPE, GroupId.NET, LIFETIME, Duration.ofMillis(-1)));
    }

    @Test
    void signer_tooLargeDocument_isRejected() {
        PipeAdvertisement large = new PipeAdvertisement(PIPE.id(), PipeType.UNICAST, null, "x".repeat(64 << 10));
        assertThatExceptionOfType(InvalidCallException.class)
                .isThrownBy(() -> alice.sign(large, GroupId.NET))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.MESSAGE_TOO_LARGE));
    }

    @Test
    void signer_cutsExpirationToLifetime() {
        SignedAdvertisement signed = alice.sign(PIPE, GroupId.NET, Duration.ofMinutes(1), EXPIRATION);
        assertThat(signed.expiration()).isEqualTo(Duration.ofMinutes(1));
        assertThat(verifier.verify(signed.toByteArray()).expiresAt()).isEqualTo(START.plusSeconds(60));
    }

    @Test
    void peerAdvertisement_isAcceptedFromThePeerOnly() {
        PeerAdvertisement own = PeerAdvertisement.of(ALICE.peerId(), GroupId.NET, "alice");
        assertThat(verifier.verify(alice.sign(own, GroupId.NET).toByteArray()).advertisement())
                .isEqualTo(own);
        assertThat(rejection(envelope(MALLORY, documents.encode(own)), ErrorCode.IDENTITY_REFUSED))
                .contains("publisher", MALLORY.peerId().text());
    }

    @Test
    void routeAndRendezvous_areAcceptedFromThePeerOnly() {
        RouteAdvertisement route = RouteAdvertisement.of(ALICE.peerId(), List.of("tcp://192.0.2.66:1"));
        RdvAdvertisement rendezvous =
                new RdvAdvertisement(AdvertisementId.of(GroupId.NET), route.destination(), "s", null, null);
        assertThat(rejection(envelope(MALLORY, documents.encode(route)), ErrorCode.IDENTITY_REFUSED))
                .contains("jxta:RA");
        assertThat(rejection(envelope(MALLORY, documents.encode(rendezvous)), ErrorCode.IDENTITY_REFUSED))
                .contains("jxta:RdvAdvertisement");
        assertThatNoException().isThrownBy(() -> verifier.verify(envelope(ALICE, documents.encode(route))));
    }

    @Test
    void advertisementOfAnotherGroup_isRejected() {
        PipeAdvertisement other =
                PipeAdvertisement.of(PipeId.ofName(GroupId.ofName("other"), "chat"), PipeType.UNICAST, "chat");
        assertThat(rejection(envelope(ALICE, documents.encode(other)), ErrorCode.MALFORMED_ADVERTISEMENT))
                .contains("group");
    }

    @Test
    void substitutedPublisher_isRejected() {
        byte[] bytes = alice.sign(PIPE, GroupId.NET).toByteArray();
        System.arraycopy(MALLORY.peerId().toByteArray(), 0, bytes, PUBLISHER, 32);
        rejection(bytes, ErrorCode.SIGNATURE_REFUSED);
    }

    @Test
    void publisherWithNeutralKey_isRejected() {
        // The neutral element of the curve: a signature with R = neutral and S = 0 is valid for every message.
        byte[] bytes = alice.sign(PIPE, GroupId.NET).toByteArray();
        byte[] neutral = new byte[32];
        neutral[0] = 1;
        System.arraycopy(neutral, 0, bytes, PUBLISHER, 32);
        Arrays.fill(bytes, bytes.length - 64, bytes.length, (byte) 0);
        bytes[bytes.length - 64] = 1;
        rejection(bytes, ErrorCode.SIGNATURE_REFUSED);
    }

    @Test
    void signatureOverTheSameBytesForAnotherPurpose_isRejected() {
        byte[] bytes = alice.sign(PIPE, GroupId.NET).toByteArray();
        byte[] signed = Arrays.copyOf(bytes, bytes.length - 64);
        byte[] withoutPrefix = ALICE.sign(signed);
        System.arraycopy(withoutPrefix, 0, bytes, bytes.length - 64, 64);
        rejection(bytes, ErrorCode.SIGNATURE_REFUSED);
    }

    @Test
    void everyFlippedBit_isRejected() {
        byte[] bytes = alice.sign(PIPE, GroupId.NET).toByteArray();
        for (int bit = 0; bit < 8 * bytes.length; bit += bit / 8 < DOCUMENT ? 1 : 5) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatExceptionOfType(ParleyException.class)
                    .as("bit %s of byte %s", bit % 8, bit / 8)
                    .isThrownBy(() -> verifier.verify(flipped));
        }
    }

    @Test
    void everyTruncation_andTrailingBytes_areRejected() {
        byte[] bytes = alice.sign(PIPE, GroupId.NET).toByteArray();
        for (int length = 0; length < bytes.length; length++) {
            rejection(Arrays.copyOf(bytes, length), ErrorCode.MALFORMED_ADVERTISEMENT);
        }
        rejection(Arrays.copyOf(bytes, bytes.length + 1), ErrorCode.MALFORMED_ADVERTISEMENT);
    }

    @Test
    void otherMagicOrVersion_isRejected() {
        byte[] bytes = alice.sign(PIPE, GroupId.NET).toByteArray();
        byte[] magic = bytes.clone();
        magic[0] = 'Q';
        assertThat(rejection(magic, ErrorCode.MALFORMED_ADVERTISEMENT)).contains("magic");
        byte[] version = bytes.clone();
        version[4] = (byte) 200;
        assertThat(rejection(version, ErrorCode.VERSION_UNSUPPORTED)).contains("version: 200");
    }

    @Test
    void expired_isRefused_fromItsEndOn() {
        byte[] bytes = alice.sign(PIPE, GroupId.NET, LIFETIME, EXPIRATION).toByteArray();
        clock.advance(EXPIRATION.minusMillis(1));
        assertThatNoException().isThrownBy(() -> verifier.verify(bytes));
        clock.advance(Duration.ofMillis(1));
        assertThat(rejection(bytes, ErrorCode.EXPIRED)).contains("2026-11-21T14:00:00Z");
    }

    @Test
    void notToBeShared_isRefused_andRestoredAtHome() {
        SignedAdvertisement signed = alice.sign(PIPE, GroupId.NET, LIFETIME, Duration.ZERO);
        rejection(signed.toByteArray(), ErrorCode.EXPIRED);
        assertThat(verifier.readTrusted(signed.toByteArray())).isEqualTo(signed);
    }

    @Test
    void readTrusted_checksFormatOnly() {
        byte[] bytes = alice.sign(PIPE, GroupId.NET, LIFETIME, EXPIRATION).toByteArray();
        clock.advance(Duration.ofDays(30));
        bytes[bytes.length - 1] ^= 1;
        assertThat(verifier.readTrusted(bytes).advertisement()).isEqualTo(PIPE);
        bytes[DOCUMENT] = 'x';
        assertThatExceptionOfType(PeerFaultException.class).isThrownBy(() -> verifier.readTrusted(bytes));
    }

    @Test
    void issuedInTheFuture_isAcceptedWithinTheClockSkew() {
        byte[] bytes = alice.sign(PIPE, GroupId.NET).toByteArray();
        clock.advance(Duration.ofMinutes(-5));
        assertThatNoException().isThrownBy(() -> verifier.verify(bytes));
        clock.advance(Duration.ofMillis(-1));
        assertThat(rejection(bytes, ErrorCode.NOT_YET_VALID)).contains("2026-11-21T12:00:00Z");
    }

    @Test
    void validForLongerThanAllowed_isRejected() {
        byte[] document = documents.encode(PIPE);
        long now = START.toEpochMilli();
        long limit = Duration.ofDays(14).toMillis();
        assertThatNoException().isThrownBy(() -> verifier.verify(envelope(ALICE, now, limit, limit, document)));
        assertThat(rejection(envelope(ALICE, now, limit + 1, limit, document), ErrorCode.LIMIT_EXCEEDED))
                .contains("lifetime");
        assertThat(rejection(envelope(ALICE, now, Long.MAX_VALUE, 1, document), ErrorCode.LIMIT_EXCEEDED))
                .contains("lifetime");
        AdvertisementVerifier strict = new AdvertisementVerifier(
                AdvertisementCodec.builtIn(AdvertisementLimits.DEFAULTS.toBuilder()
                        .maxExpiration(Duration.ofHours(1))
                        .build()),
                clock);
        assertThatExceptionOfType(PeerFaultException.class)
                .isThrownBy(() -> strict.verify(envelope(ALICE, now, 7_200_000, 3_600_001, document)))
                .withMessageContaining("expiration")
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED));
    }

    @Test
    void inconsistentTimes_areRejected() {
        byte[] document = documents.encode(PIPE);
        long now = START.toEpochMilli();
        rejection(envelope(ALICE, now, 1, 2, document), ErrorCode.MALFORMED_ADVERTISEMENT);
        rejection(envelope(ALICE, -1, 2, 1, document), ErrorCode.MALFORMED_ADVERTISEMENT);
        rejection(envelope(ALICE, now, -1, -1, document), ErrorCode.MALFORMED_ADVERTISEMENT);
        rejection(envelope(ALICE, Long.MAX_VALUE, 2, 1, document), ErrorCode.NOT_YET_VALID);
        rejection(envelope(ALICE, 0, 2, 1, document), ErrorCode.EXPIRED);
    }

    @Test
    void wrongDocumentLength_isRejected() {
        byte[] bytes = alice.sign(PIPE, GroupId.NET).toByteArray();
        for (int length : new int[] {0, -1, Integer.MAX_VALUE, bytes.length}) {
            byte[] modified = bytes.clone();
            ByteBuffer.wrap(modified).putInt(LENGTH, length);
            assertThat(rejection(modified, ErrorCode.MALFORMED_ADVERTISEMENT)).contains("length");
        }
    }

    @Test
    void oversized_isRefused_beforeParsing() {
        byte[] bytes = new byte[(64 << 10) + 145];
        rejection(bytes, ErrorCode.MALFORMED_ADVERTISEMENT);
        assertThat(rejection(Arrays.copyOf(bytes, bytes.length + 1), ErrorCode.LIMIT_EXCEEDED))
                .contains("65682 bytes", "65681");
    }

    @Test
    void hostileDocument_wellSigned_isRejected() {
        String bomb = "<!DOCTYPE a [<!ENTITY b \"bbbbbbbbbb\"><!ENTITY c \"&b;&b;&b;\">]><a>&c;</a>";
        rejection(envelope(MALLORY, bytes(bomb)), ErrorCode.MALFORMED_ADVERTISEMENT);
        rejection(envelope(MALLORY, bytes("<a>".repeat(10_000))), ErrorCode.LIMIT_EXCEEDED);
        rejection(envelope(MALLORY, new byte[0]), ErrorCode.MALFORMED_ADVERTISEMENT);
        rejection(envelope(MALLORY, bytes("<jxta:PA/>")), ErrorCode.MALFORMED_ADVERTISEMENT);
    }

    /** As a mapped component whose child is missing. */
    @ParameterizedTest
    @ValueSource(strings = {"<Loan><holder/></Loan>", "<Loan><owner/></Loan>"})
    void typeWhosePublisherOrGroupThrows_rejectsTheDocument(String document) {
        record Loan(String key, boolean hasOwner, boolean hasHolder) implements Advertisement {
            @Override
            public String type() {
                return "Loan";
            }

            @Override
            public Optional<AdvertisementId> publisher() {
                return required(hasOwner, AdvertisementId.of(ALICE.peerId()));
            }

            @Override
            public Optional<AdvertisementId> group() {
                return required(hasHolder, AdvertisementId.of(GroupId.NET));
            }

            private static Optional<AdvertisementId> required(boolean present, AdvertisementId id) {
                if (!present) {
                    throw new NullPointerException("missing child (of the test)");
                }
                return Optional.of(id);
            }

            @Override
            public List<AdvertisementAttribute> attributes() {
                return List.of();
            }
        }
        AdvertisementType<Loan> type = AdvertisementType.of(
                "Loan",
                Loan.class,
                root -> new Loan(
                        "k",
                        root.child("owner").isPresent(),
                        root.child("holder").isPresent()),
                loan -> XmlElement.of("Loan"));
        AdvertisementVerifier withLoans = new AdvertisementVerifier(
                new AdvertisementCodec(AdvertisementTypeRegistry.builtIn().with(type), AdvertisementLimits.DEFAULTS),
                clock);
        assertThatExceptionOfType(PeerFaultException.class)
                .isThrownBy(() -> withLoans.verify(envelope(ALICE, bytes(document))))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_ADVERTISEMENT))
                .withMessageContaining("advertisement: missing child");
    }

    @Test
    void olderOrEqualVersion_isStale() {
        SignedAdvertisement old = alice.sign(PIPE, GroupId.NET);
        clock.advance(Duration.ofMinutes(1));
        SignedAdvertisement renamed =
                alice.sign(new PipeAdvertisement(PIPE.id(), PipeType.UNICAST, "renamed", null), GroupId.NET);
        assertThatNoException().isThrownBy(() -> renamed.requireNewerThan(old));
        assertThatNoException().isThrownBy(() -> old.requireNewerThan(null));
        SignedAdvertisement replayed = verifier.verify(old.toByteArray());
        for (SignedAdvertisement known : List.of(old, renamed)) {
            assertThatExceptionOfType(InvalidCallException.class)
                    .isThrownBy(() -> replayed.requireNewerThan(known))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_ADVERTISEMENT));
        }
    }

    @Test
    void advertisementOfAnotherPublisherOrPipe_replacesNothing() {
        SignedAdvertisement known = alice.sign(PIPE, GroupId.NET);
        clock.advance(Duration.ofMinutes(1));
        SignedAdvertisement forged = new AdvertisementSigner(MALLORY, documents, clock).sign(PIPE, GroupId.NET);
        SignedAdvertisement otherPipe = alice.sign(
                PipeAdvertisement.of(PipeId.ofName(GroupId.NET, "other"), PipeType.UNICAST, "chat"), GroupId.NET);
        for (SignedAdvertisement later : List.of(forged, otherPipe)) {
            assertThat(later.supersedes(known)).isFalse();
            assertThatIllegalArgumentException().isThrownBy(() -> later.requireNewerThan(known));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {91, 92})
    void garbage_isRefused_andNothingElse(long seed) {
        Random random = new Random(Long.getLong("parley.test.seed", seed));
        byte[] good = alice.sign(PIPE, GroupId.NET).toByteArray();
        for (int i = 0; i < 500; i++) {
            byte[] bytes = good.clone();
            for (int changes = 1 + random.nextInt(8); changes > 0; changes--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
            }
            if (!Arrays.equals(bytes, good)) {
                assertThatExceptionOfType(ParleyException.class).isThrownBy(() -> verifier.verify(bytes));
            }
        }
    }

    private String rejection(byte[] bytes, ErrorCode code) {
        try {
            SignedAdvertisement verified = verifier.verify(bytes);
            throw new AssertionError("accepted: " + verified);
        } catch (ParleyException e) {
            assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
            return String.valueOf(e.getMessage());
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] envelope(Identity publisher, byte[] document) {
        return envelope(publisher, START.toEpochMilli(), LIFETIME.toMillis(), EXPIRATION.toMillis(), document);
    }

    /** Signs arbitrary values, independently of the code under test. */
    private static byte[] envelope(Identity publisher, long issued, long lifetime, long expiration, byte[] document) {
        ByteBuffer bytes = ByteBuffer.allocate(DOCUMENT + document.length + 64);
        bytes.put(bytes("PADV")).put((byte) 1).put(publisher.peerId().toByteArray());
        assertThat(bytes.position()).isEqualTo(GROUP);
        bytes.put(GroupId.NET.toByteArray());
        bytes.putLong(ISSUED, issued).putLong(LIFETIME_AT, lifetime).putLong(EXPIRATION_AT, expiration);
        bytes.putInt(LENGTH, document.length).position(DOCUMENT).put(document);
        byte[] signed = Arrays.copyOf(bytes.array(), bytes.position());
        byte[] prefix = bytes("parley-advertisement\0");
        byte[] prefixed = Arrays.copyOf(prefix, prefix.length + signed.length);
        System.arraycopy(signed, 0, prefixed, prefix.length, signed.length);
        return bytes.put(publisher.sign(prefixed)).array();
    }
}
