package io.parley.rendezvous.internal;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Signs advertisements with one identity. */
final class Publisher {

    static final GroupId GROUP = GroupId.ofName("weather");

    private static final AdvertisementCodec CODEC = AdvertisementCodec.builtIn(AdvertisementLimits.DEFAULTS);

    final Identity identity;
    final AdvertisementSigner signer;
    private final Clock clock;

    Publisher(Identity identity, Clock clock) {
        this.identity = identity;
        this.clock = clock;
        this.signer = new AdvertisementSigner(identity, CODEC, clock);
    }

    static AdvertisementVerifier verifier(Clock clock) {
        return new AdvertisementVerifier(CODEC, clock);
    }

    AdvertisementVerifier verifier() {
        return verifier(clock);
    }

    PeerId id() {
        return identity.peerId();
    }

    static PipeAdvertisement pipe(GroupId group, String name) {
        return PipeAdvertisement.of(PipeId.ofName(group, name), PipeType.UNICAST, name);
    }

    SignedAdvertisement sign(Advertisement advertisement, Duration expiration) {
        return signer.sign(
                advertisement,
                advertisement.group().flatMap(AdvertisementId::groupId).orElse(GROUP),
                Duration.ofDays(1),
                expiration);
    }

    SignedAdvertisement signPipe(String name) {
        return sign(pipe(GROUP, name), Duration.ofHours(2));
    }

    List<SignedAdvertisement> signPipes(String prefix, int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> signPipe(prefix + number))
                .toList();
    }

    SignedAdvertisement signSelf() {
        return sign(PeerAdvertisement.of(id(), GROUP, "publisher"), Duration.ofHours(2));
    }

    /** Returns the advertisement with one letter changed after it was signed. */
    static byte[] forge(SignedAdvertisement signed) {
        byte[] bytes = signed.toByteArray();
        byte[] name = "<Name>".getBytes(StandardCharsets.US_ASCII);
        for (int at = 0; at < bytes.length - name.length; at++) {
            if (Arrays.equals(bytes, at, at + name.length, name, 0, name.length)) {
                bytes[at + name.length] ^= 1;
                return bytes;
            }
        }
        throw new AssertionError("no name in " + signed);
    }
}
