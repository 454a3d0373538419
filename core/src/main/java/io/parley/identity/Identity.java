package io.parley.identity;

import io.parley.id.PeerId;
import io.parley.identity.internal.DataSignatures;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.math.ec.rfc8032.Ed25519;
import org.jspecify.annotations.Nullable;

/**
 * What makes a peer itself: an Ed25519 key pair (RFC 8032), whose public half is the {@link PeerId}. Immutable; nothing
 * it prints contains the private half.
 */
public final class Identity {
    /** The name of the identity file in a home directory. */
    public static final String FILE_NAME = IdentityStore.FILE_NAME;

    /** How long a transport credential is valid unless the caller says otherwise. */
    public static final Duration DEFAULT_CREDENTIAL_VALIDITY = Duration.ofHours(24);

    /** The longest validity of a transport credential that can be asked for. */
    public static final Duration MAX_CREDENTIAL_VALIDITY = Duration.ofDays(7);

    /** The size of a signature in bytes. */
    public static final int SIGNATURE_BYTES = 64;

    private final byte[] seed;
    private final PeerId peerId;
    private volatile @Nullable X509Certificate certificate;

    private Identity(byte[] seed) {
        this.seed = seed;
        this.peerId = PeerId.ofBytes(
                new Ed25519PrivateKeyParameters(seed).generatePublicKey().getEncoded());
    }

    /** A new identity, from the platform's secure randomness. */
    public static Identity generate() {
        return generate(new SecureRandom());
    }

    /** A new identity, whose 32 secret bytes are the next ones from {@code random}. */
    public static Identity generate(SecureRandom random) {
        byte[] seed = new byte[Ed25519.SECRET_KEY_SIZE];
        random.nextBytes(seed);
        return new Identity(seed);
    }

    /**
     * Returns the identity in a home directory. The first call creates the directory and the identity, as the PEM file
     * {@value #FILE_NAME} that only its owner can read. An existing file is never overwritten, not even a damaged one. If several
     * processes call this at once, all get the same identity. Blocks on the disk.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#IDENTITY_UNREADABLE} if the file is damaged or
     *     cannot be read, or if there is none and it cannot be written
     */
    public static Identity loadOrCreate(Path home) {
        return IdentityStore.loadOrCreate(home);
    }

    /** The identity with that RFC 8032 private key. Takes ownership of the array. */
    static Identity ofSeed(byte[] seed) {
        if (seed.length != Ed25519.SECRET_KEY_SIZE) {
            throw new IllegalArgumentException(
                    "seed: " + seed.length + " bytes (expected: " + Ed25519.SECRET_KEY_SIZE + ")");
        }
        return new Identity(seed);
    }

    /** Who this is. */
    public PeerId peerId() {
        return peerId;
    }

    /**
     * The self-signed certificate of the identity key, with the peer id as common name and without an end (RFC 5280
     * section 4.1.2.5). It is a function of the key: the same identity has the same certificate on every machine.
     */
    public X509Certificate certificate() {
        X509Certificate made = certificate;
        // Not before it is asked for, as it takes a fresh JVM a while. Two threads make the same one.
        if (made == null) {
            made = CertificateIssuer.identityCertificate(this);
            certificate = made;
        }
        return made;
    }

    /**
     * Signs data as this peer: an Ed25519 signature of 64 bytes over a fixed prefix and the data. The prefix makes sure
     * that nobody gets a certificate signed by passing one off as data. Signatures are deterministic.
     */
    public byte[] sign(byte[] data) {
        return signRaw(DataSignatures.withPrefix(data));
    }

    /**
     * Whether {@code signature} was made by {@link #sign} of that peer over that data. False, and never an exception,
     * for signatures of a wrong length and for peer ids that are no key.
     */
    public static boolean verify(PeerId signer, byte[] data, byte[] signature) {
        return DataSignatures.verify(signer, data, signature);
    }

    /**
     * Makes a P-256 key and a certificate for it that this identity signs, for use by TLS. It becomes valid one hour
     * before the clock's time, since the clocks of peers differ.
     *
     * @param validity from now on, in whole seconds
     * @throws IllegalArgumentException when the validity is shorter than a second or longer than
     *     {@link #MAX_CREDENTIAL_VALIDITY}
     */
    public TransportCredential issueTransportCredential(Clock clock, Duration validity) {
        if (validity.compareTo(Duration.ofSeconds(1)) < 0 || validity.compareTo(MAX_CREDENTIAL_VALIDITY) > 0) {
            throw new IllegalArgumentException(
                    "validity: " + validity + " (expected: PT1S to " + MAX_CREDENTIAL_VALIDITY + ")");
        }
        return CertificateIssuer.transportCredential(this, clock.instant(), validity);
    }

    /** A transport credential for the {@linkplain #DEFAULT_CREDENTIAL_VALIDITY usual time}. */
    public TransportCredential issueTransportCredential(Clock clock) {
        return issueTransportCredential(clock, DEFAULT_CREDENTIAL_VALIDITY);
    }

    /** The plain Ed25519 signature. Only certificates are signed without the prefix. */
    byte[] signRaw(byte[] bytes) {
        byte[] signature = new byte[SIGNATURE_BYTES];
        // Ten times as fast as the JDK's.
        Ed25519.sign(seed, 0, peerId.toByteArray(), 0, bytes, 0, bytes.length, signature, 0);
        return signature;
    }

    /** The private key as RFC 8032 has it, for the store. The caller owns the array. */
    byte[] seed() {
        return seed.clone();
    }

    @Override
    public String toString() {
        return "Identity[" + peerId + ']';
    }
}
