package io.parley.encoding;

import io.parley.encoding.internal.AesGcmChannel;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.Optional;

/**
 * Encrypts elements with AES-256-GCM and a shared key, so that only peers with the key can read or change them. It protects elements
 * on plaintext transports and from peers of a group that lack the key; connections are encrypted by TLS in any case. Sending fails if
 * the receiver lacks the scheme: encryption is never left out.
 *
 * <p>The associated data of an element are its key id, the peer ids of sender and receiver, the service and its parameter (the pipe),
 * the number of its message and of the element in it, its namespace, name, type and the marks of encodings below this one. A changed, moved, repeated or missing
 * element is therefore rejected. Names, types, sizes and signatures are visible. A signature is of the plain content, and allows
 * guesses of it.
 *
 * <p>Each channel has a key of its own, derived from the shared key and 256 random bits, so nonces do not repeat over restarts and
 * several senders. A holder of the key can read the elements of all senders that use it. A recorded channel can be repeated as a
 * whole to a receiver that does not authenticate the connection; use TLS against that, which is the default.
 *
 * <p>Not found on the class path: the application creates it with its keys and passes it to input and output pipes.
 */
public final class AesGcmEncodingScheme implements EncodingScheme {

    private static final int STATE_BYTES = 1024;

    /** Encrypted in about 0.05 ms. */
    private static final int EVENT_LOOP_BYTES = 16 * 1024;

    private final KeyRing keys;
    private final SecureRandom random;

    /** Creates a scheme. */
    public AesGcmEncodingScheme(KeyRing keys) {
        this.keys = Objects.requireNonNull(keys, "keys");
        this.random = new SecureRandom();
    }

    @Override
    public String name() {
        return "aes-gcm";
    }

    /** Returns true: each element can be encrypted. */
    @Override
    public boolean accepts(MessageElement element) {
        return true;
    }

    /** Fails: elements are encrypted only on a channel. */
    @Override
    public Optional<Payload> encode(MessageElement element) {
        throw noChannel();
    }

    /** Fails: elements are decrypted only on a channel. */
    @Override
    public Payload decode(MessageElement element, long maxBytes) {
        throw noChannel();
    }

    private static IllegalStateException noChannel() {
        return new IllegalStateException("aes-gcm: no channel (expected: a call of the result of forChannel)");
    }

    @Override
    public EncodingScheme forChannel(EncodingChannel channel) {
        return new AesGcmChannel(this, keys::selected, id -> keys.find(id).orElse(null), random, channel);
    }

    @Override
    public int maxStateBytes() {
        return STATE_BYTES;
    }

    @Override
    public int maxEventLoopBytes() {
        return EVENT_LOOP_BYTES;
    }

    @Override
    public boolean isRequired() {
        return true;
    }
}
