package io.parley.rendezvous.internal;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Signed advertisements of one peer in the net group: valid ones, and those of an attacker. */
final class HostileDocuments {

    /** A document that no peer may accept, and the code with which it is rejected. */
    record BadDocument(String description, byte[] bytes, ErrorCode fault) {}

    private static final long HOUR = Duration.ofHours(1).toMillis();

    private final Identity identity;
    private final AdvertisementSigner signer;
    private final AdvertisementCodec codec = AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS);

    HostileDocuments(Identity identity) {
        this.identity = identity;
        this.signer = new AdvertisementSigner(identity, codec, Clock.systemUTC());
    }

    /** Returns a valid advertisement of a pipe. */
    byte[] pipe(String name) {
        return sign(PipeAdvertisement.of(PipeId.ofName(GroupId.NET, name), PipeType.UNICAST, name));
    }

    /** Returns a valid advertisement of this peer. */
    byte[] self() {
        return sign(PeerAdvertisement.of(identity.peerId(), GroupId.NET, "mallory"));
    }

    private byte[] sign(Advertisement advertisement) {
        return signer.sign(advertisement, GroupId.NET).toByteArray();
    }

    /** Returns all kinds of documents that no peer may accept. */
    List<BadDocument> bad(PeerId victim) {
        byte[] broken = pipe("broken");
        broken[broken.length - 1] ^= 1;
        byte[] changed = pipe("changed");
        changed[changed.length / 2] ^= 1;
        String pipe = new String(
                codec.encode(PipeAdvertisement.of(PipeId.ofName(GroupId.NET, "x"), PipeType.UNICAST, "x")),
                StandardCharsets.UTF_8);
        String body = pipe.substring(pipe.indexOf("<jxta:"));
        String bomb = "<!DOCTYPE jxta:PipeAdvertisement [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">"
                + "<!ENTITY c \"&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;\">]>";
        String external = "<!DOCTYPE jxta:PipeAdvertisement [<!ENTITY e SYSTEM \"file:///etc/hostname\">]>";
        String remote = "<!DOCTYPE jxta:PipeAdvertisement SYSTEM \"http://127.0.0.1:9/x.dtd\">";
        return List.of(
                new BadDocument("a wrong signature", broken, ErrorCode.SIGNATURE_REFUSED),
                new BadDocument("changed after it was signed", changed, ErrorCode.SIGNATURE_REFUSED),
                new BadDocument(
                        "about another peer",
                        envelope(
                                identity.peerId(),
                                System.currentTimeMillis(),
                                HOUR,
                                HOUR,
                                codec.encode(PeerAdvertisement.of(victim, GroupId.NET, "not me"))),
                        ErrorCode.IDENTITY_REFUSED),
                new BadDocument(
                        "in the name of another peer",
                        envelope(victim, System.currentTimeMillis(), HOUR, HOUR, bytes(pipe)),
                        ErrorCode.SIGNATURE_REFUSED),
                new BadDocument(
                        "valid for years",
                        envelope(20 * 365 * 24 * HOUR, 20 * 365 * 24 * HOUR, bytes(pipe)),
                        ErrorCode.LIMIT_EXCEEDED),
                new BadDocument(
                        "valid forever",
                        envelope(Long.MAX_VALUE, Long.MAX_VALUE, bytes(pipe)),
                        ErrorCode.LIMIT_EXCEEDED),
                new BadDocument(
                        "of tomorrow",
                        envelope(identity.peerId(), System.currentTimeMillis() + 24 * HOUR, HOUR, HOUR, bytes(pipe)),
                        ErrorCode.NOT_YET_VALID),
                new BadDocument(
                        "of yesterday",
                        envelope(identity.peerId(), System.currentTimeMillis() - 24 * HOUR, HOUR, HOUR, bytes(pipe)),
                        ErrorCode.EXPIRED),
                new BadDocument("too large", envelope(HOUR, HOUR, new byte[70_000]), ErrorCode.LIMIT_EXCEEDED),
                new BadDocument(
                        "an XML bomb",
                        envelope(HOUR, HOUR, bytes(bomb + body.replace(">x<", ">&d;<"))),
                        ErrorCode.MALFORMED_ADVERTISEMENT),
                new BadDocument(
                        "an external entity",
                        envelope(HOUR, HOUR, bytes(external + body.replace(">x<", ">&e;<"))),
                        ErrorCode.MALFORMED_ADVERTISEMENT),
                new BadDocument(
                        "an external DTD",
                        envelope(HOUR, HOUR, bytes(remote + body)),
                        ErrorCode.MALFORMED_ADVERTISEMENT),
                new BadDocument(
                        "elements without end",
                        envelope(HOUR, HOUR, bytes("<jxta:PipeAdvertisement>" + "<a/>".repeat(10_000))),
                        ErrorCode.LIMIT_EXCEEDED),
                new BadDocument("no envelope", bytes("no document"), ErrorCode.MALFORMED_ADVERTISEMENT),
                new BadDocument("nothing", new byte[0], ErrorCode.MALFORMED_ADVERTISEMENT));
    }

    private byte[] envelope(long lifetimeMillis, long expirationMillis, byte[] document) {
        return envelope(identity.peerId(), System.currentTimeMillis(), lifetimeMillis, expirationMillis, document);
    }

    /** Encodes an envelope that a signer would not create: see {@code docs/wire-format.md}. */
    private byte[] envelope(
            PeerId publisher, long issuedMillis, long lifetimeMillis, long expirationMillis, byte[] document) {
        byte[] unsigned = ByteBuffer.allocate(81 + document.length)
                .put(bytes("PADV"))
                .put((byte) 1)
                .put(publisher.toByteArray())
                .put(GroupId.NET.toByteArray())
                .putLong(issuedMillis)
                .putLong(lifetimeMillis)
                .putLong(expirationMillis)
                .putInt(document.length)
                .put(document)
                .array();
        byte[] prefix = bytes("parley-advertisement\0");
        byte[] covered = Arrays.copyOf(prefix, prefix.length + unsigned.length);
        System.arraycopy(unsigned, 0, covered, prefix.length, unsigned.length);
        byte[] signature = identity.sign(covered);
        byte[] envelope = Arrays.copyOf(unsigned, unsigned.length + signature.length);
        System.arraycopy(signature, 0, envelope, unsigned.length, signature.length);
        return envelope;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
