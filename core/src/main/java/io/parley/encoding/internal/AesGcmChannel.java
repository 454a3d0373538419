package io.parley.encoding.internal;

import io.parley.common.internal.TextSanitizer;
import io.parley.encoding.EncodingChannel;
import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.generators.HKDFBytesGenerator;
import org.bouncycastle.crypto.params.HKDFParameters;
import org.jspecify.annotations.Nullable;

/**
 * AES-256-GCM on one direction of one channel. The layout of an encrypted element is
 *
 * <pre>
 *   flags:u8                                  0, or 1 if a header follows
 *   length:u8 keyId salt:32 bytes             the header, with which a channel key begins
 *   ciphertext tag:16 bytes
 * </pre>
 *
 * <p>The channel key is HKDF-SHA256 (RFC 5869) of the shared key, with a random salt of 256 bits and an info string that names the
 * sender. The nonce is the number of elements that the channel key has encrypted before (the deterministic construction of NIST SP
 * 800-38D, 8.2.1). Both are unique as long as no salt is drawn twice. Used by one thread at a time.
 */
public final class AesGcmChannel implements EncodingScheme {

    /** The elements and bytes that a channel key encrypts. The next element begins with a new one. */
    static final int MAX_KEY_ELEMENTS = 1 << 20;

    static final long MAX_KEY_BYTES = 1L << 36;

    private static final int HEADER_FLAG = 1;
    private static final int SALT_BYTES = 32;
    private static final int KEY_BYTES = 32;
    private static final int TAG_BYTES = 16;
    private static final int NONCE_BYTES = 12;
    private static final String LABEL = "parley-aes-gcm-1";

    private final EncodingScheme scheme;
    private final Supplier<String> selectedKey;
    private final Function<String, byte @Nullable []> keys;
    private final SecureRandom random;
    private final EncodingChannel channel;
    private String keyId = "";
    private @Nullable SecretKeySpec channelKey;

    /** The part of the associated data that is the same for all elements of the channel key. */
    private byte[] commonData = {};

    /** The cipher of the last element, because to get one takes as long as to encrypt 1 KB. Null if it failed at that element. */
    private @Nullable Cipher usable;

    private long keyElements;
    private long keyBytes;

    /**
     * Creates the state of a channel without a key.
     *
     * @param scheme      the scheme to which this one belongs
     * @param selectedKey returns the id of the key for new elements
     * @param keys        returns the key of an id, or null
     */
    public AesGcmChannel(
            EncodingScheme scheme,
            Supplier<String> selectedKey,
            Function<String, byte @Nullable []> keys,
            SecureRandom random,
            EncodingChannel channel) {
        this.scheme = scheme;
        this.selectedKey = selectedKey;
        this.keys = keys;
        this.random = random;
        this.channel = channel;
    }

    @Override
    public String name() {
        return scheme.name();
    }

    @Override
    public boolean accepts(MessageElement element) {
        return true;
    }

    @Override
    public int maxStateBytes() {
        return scheme.maxStateBytes();
    }

    @Override
    public boolean isRequired() {
        return true;
    }

    @Override
    public Optional<Payload> encode(MessageElement element) {
        byte[] plain = element.toByteArray();
        String selected = selectedKey.get();
        byte[] header = {0};
        SecretKeySpec key = channelKey;
        if (key == null
                || !selected.equals(keyId)
                || keyElements >= MAX_KEY_ELEMENTS
                || keyBytes > MAX_KEY_BYTES - plain.length) {
            byte[] salt = new byte[SALT_BYTES];
            random.nextBytes(salt);
            byte[] shared = keys.apply(selected);
            if (shared == null) {
                throw ErrorCode.NOT_ENCODABLE.exception(
                        "aes-gcm: the selected key " + selected + " is not in the key ring");
            }
            key = startKey(selected, shared, salt);
            byte[] id = selected.getBytes(StandardCharsets.UTF_8);
            header = ByteBuffer.allocate(2 + id.length + SALT_BYTES)
                    .put((byte) HEADER_FLAG)
                    .put((byte) id.length)
                    .put(id)
                    .put(salt)
                    .array();
        }
        try {
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, key, element);
            byte[] encrypted = Arrays.copyOf(header, header.length + cipher.getOutputSize(plain.length));
            cipher.doFinal(plain, 0, plain.length, encrypted, header.length);
            onDone(cipher, plain.length);
            return Optional.of(Payload.of(encrypted));
        } catch (GeneralSecurityException e) {
            throw ErrorCode.NOT_ENCODABLE.exception("aes-gcm: encryption failed: " + e, e);
        }
    }

    /** The encrypted content has a form, perhaps a key id, and a tag more. */
    @Override
    public long maxDecodedBytes(MessageElement element) {
        return Math.max(0, element.size() - 1 - TAG_BYTES);
    }

    @Override
    public Payload decode(MessageElement element, long maxBytes) {
        byte[] encoded = element.toByteArray();
        ByteBuffer in = ByteBuffer.wrap(encoded);
        int flags = read(in, 1)[0];
        if (flags == HEADER_FLAG) {
            String id = new String(read(in, read(in, 1)[0] & 0xff), StandardCharsets.UTF_8);
            byte[] salt = read(in, SALT_BYTES);
            requireTag(in);
            byte[] shared = keys.apply(id);
            if (shared == null) {
                throw ErrorCode.NO_COMMON_CODEC.exception("aes-gcm: key " + TextSanitizer.oneLine(id)
                        + " is not in the key ring of this peer; add it to the ring of the input pipe");
            }
            startKey(id, shared, salt);
        } else if (flags != 0) {
            throw malformed("flags: " + flags + " (expected: 0 or 1)", null);
        }
        requireTag(in);
        SecretKeySpec key = channelKey;
        if (key == null || keyElements >= MAX_KEY_ELEMENTS) {
            throw malformed("element without the header of a new key", null);
        }
        int plainBytes = in.remaining() - TAG_BYTES;
        if (plainBytes > maxBytes) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "aes-gcm: decrypted content: " + plainBytes + " bytes (expected: <= " + maxBytes + ")");
        }
        try {
            Cipher cipher = cipher(Cipher.DECRYPT_MODE, key, element);
            byte[] plain = cipher.doFinal(encoded, in.position(), in.remaining());
            onDone(cipher, plain.length);
            return Payload.of(plain);
        } catch (AEADBadTagException e) {
            throw malformed("not authentic: it was changed, moved or repeated, or the key is another one", e);
        } catch (GeneralSecurityException e) {
            throw malformed(e.toString(), e);
        }
    }

    private SecretKeySpec startKey(String id, byte[] shared, byte[] salt) {
        HKDFBytesGenerator derivation = new HKDFBytesGenerator(new SHA256Digest());
        byte[] info = bytes(out -> {
            writeText(out, LABEL);
            writeText(out, channel.sender().text());
        });
        derivation.init(new HKDFParameters(shared, salt, info));
        byte[] derived = new byte[KEY_BYTES];
        derivation.generateBytes(derived, 0, derived.length);
        SecretKeySpec key = new SecretKeySpec(derived, "AES");
        Arrays.fill(derived, (byte) 0); // the key has a copy
        keyId = id;
        commonData = commonData(id);
        channelKey = key;
        keyElements = 0;
        keyBytes = 0;
        return key;
    }

    /** Returns the cipher for the next element. */
    private Cipher cipher(int mode, SecretKeySpec key, MessageElement element) throws GeneralSecurityException {
        byte[] nonce =
                ByteBuffer.allocate(NONCE_BYTES).putInt(0).putLong(keyElements).array();
        Cipher cipher = usable == null ? Cipher.getInstance("AES/GCM/NoPadding") : usable;
        usable = null; // it refuses the nonce of an element at which it failed
        cipher.init(mode, key, new GCMParameterSpec(TAG_BYTES * 8, nonce));
        cipher.updateAAD(commonData);
        cipher.updateAAD(ownData(element));
        return cipher;
    }

    /** Returns the first parts of the associated data, each with its length, so that no two elements have the same data. */
    private byte[] commonData(String id) {
        return bytes(out -> {
            writeText(out, LABEL);
            writeText(out, id);
            writeText(out, channel.sender().text());
            writeText(out, channel.receiver().text());
            writeText(out, channel.service());
            writeText(out, channel.parameter());
        });
    }

    /** Returns the other parts. */
    private byte[] ownData(MessageElement element) {
        return bytes(out -> {
            out.writeLong(channel.messageNumber());
            out.writeInt(channel.elementIndex());
            writeText(out, element.namespace());
            writeText(out, element.name());
            writeText(out, element.type());
        });
    }

    private void onDone(Cipher cipher, int bytes) {
        usable = cipher;
        keyElements++;
        keyBytes += bytes;
    }

    /** Writes fields. */
    private interface Fields {

        void writeTo(DataOutputStream out) throws IOException;
    }

    private static byte[] bytes(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try {
            fields.writeTo(new DataOutputStream(bytes));
        } catch (IOException e) { // an array does not throw it
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void writeText(DataOutputStream out, String text) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(utf8.length);
        out.write(utf8);
    }

    private static void requireTag(ByteBuffer in) {
        if (in.remaining() < TAG_BYTES) {
            throw malformed("truncated (expected: a tag of " + TAG_BYTES + " bytes at its end)", null);
        }
    }

    private static byte[] read(ByteBuffer in, int length) {
        if (in.remaining() < length) {
            throw malformed("truncated (expected: " + length + " more bytes)", null);
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private static ParleyException malformed(String reason, @Nullable Throwable cause) {
        return ErrorCode.MALFORMED_MESSAGE.exception("aes-gcm: encrypted element: " + reason, cause);
    }
}
