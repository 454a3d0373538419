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
 * The identity of a peer: an Ed25519 key pair (RFC 8032), whose public key is the {@link PeerId}. Immutable and
 * thread-safe. No text form contains the private key.
 */
public final class Identity {
    /** The name of the identity file in a home directory. */
    public static final String FILE_NAME = IdentityStore.FILE_NAME;

    /** The default validity of a transport credential. */
    public static final Duration DEFAULT_CREDENTIAL_VALIDITY = Duration.ofHours(24);

    /** The maximum validity of a transport credential. */
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

    /** Creates an identity from the platform's secure randomness. */
    public static Identity generate() {
        return generate(new SecureRandom());
    }

    /** Creates an identity. Its 32 secret bytes are read from {@code random}. */
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

    /** Returns the identity with an RFC 8032 private key. Takes ownership of {@code seed}. */
    static Identity ofSeed(byte[] seed) {
        if (seed.length != Ed25519.SECRET_KEY_SIZE) {
            throw new IllegalArgumentException(
                    "seed: " + seed.length + " bytes (expected: " + Ed25519.SECRET_KEY_SIZE + ")");
        }
        return new Identity(seed);
    }

    /** Returns the peer id. */
    public PeerId peerId() {
        return peerId;
    }

    /**
     * Returns the self-signed certificate of the identity key. Its common name is the peer id and it does not expire
     * (RFC 5280 section 4.1.2.5). It is a function of the key: an identity has the same certificate on every machine.
     */
    public X509Certificate certificate() {
        X509Certificate current = certificate;
        // Created on first use because it is slow in a new JVM. A race is harmless: all threads create the same one.
        if (current == null) {
            current = CertificateIssuer.identityCertificate(this);
            certificate = current;
        }
        return current;
    }

    /**
     * Signs data as this peer. Returns an Ed25519 signature of 64 bytes over a fixed prefix and the data. The prefix
     * prevents an attacker from having a certificate signed as data. Signatures are deterministic.
     */
    public byte[] sign(byte[] data) {
        return signRaw(DataSignatures.withPrefix(data));
    }

    /**
     * Returns whether {@code signature} is the result of {@link #sign} of {@code signer} for {@code data}. Returns false,
     * and never throws, for signatures of a wrong length and for peer ids that are not a key.
     */
    public static boolean verify(PeerId signer, byte[] data, byte[] signature) {
        return DataSignatures.verify(signer, data, signature);
    }

    /**
     * Issues a P-256 key with a certificate signed by this identity, for use in TLS. The certificate becomes valid one
     * hour before the clock's time because the clocks of peers differ.
     *
     * @param validity the validity from the clock's time on, in whole seconds
     * @throws IllegalArgumentException if the validity is shorter than one second or longer than
     *     {@link #MAX_CREDENTIAL_VALIDITY}
     */
    public TransportCredential issueTransportCredential(Clock clock, Duration validity) {
        if (validity.compareTo(Duration.ofSeconds(1)) < 0 || validity.compareTo(MAX_CREDENTIAL_VALIDITY) > 0) {
            throw new IllegalArgumentException(
                    "validity: " + validity + " (expected: PT1S to " + MAX_CREDENTIAL_VALIDITY + ")");
        }
        return CertificateIssuer.transportCredential(this, clock.instant(), validity);
    }

    /** Issues a transport credential with the {@linkplain #DEFAULT_CREDENTIAL_VALIDITY default validity}. */
    public TransportCredential issueTransportCredential(Clock clock) {
        return issueTransportCredential(clock, DEFAULT_CREDENTIAL_VALIDITY);
    }

    /** Returns the plain Ed25519 signature. Only certificates are signed without the prefix. */
    byte[] signRaw(byte[] bytes) {
        byte[] signature = new byte[SIGNATURE_BYTES];
        // Ten times faster than the implementation of the JDK.
        Ed25519.sign(seed, 0, peerId.toByteArray(), 0, bytes, 0, bytes.length, signature, 0);
        return signature;
    }

    /** Returns a copy of the RFC 8032 private key, for the store. */
    byte[] seed() {
        return seed.clone();
    }

    @Override
    public String toString() {
        return "Identity[" + peerId + ']';
    }
}
