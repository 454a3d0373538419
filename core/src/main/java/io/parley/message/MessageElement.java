package io.parley.message;

import io.parley.error.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One part of a {@link Message}: a namespace, a name, a MIME type and bytes, perhaps with a signature. Namespace and
 * name may be empty, and need not be unique in a message. Applications use the empty namespace or their own; the
 * namespace {@code jxta} and those that begin with {@code parley} belong to the framework.
 *
 * <p>Immutable and usable from any thread. Two elements are equal when all their parts are, see {@link Payload} for
 * files.
 */
public final class MessageElement {
    /** The type of elements that do not say otherwise. */
    public static final String TYPE_BYTES = "application/octet-stream";
    /** The type of text elements, spelled as JXTA spells it. */
    public static final String TYPE_TEXT = "text/plain;charset=UTF-8";
    /** The type of XML elements, spelled as JXTA spells it. */
    public static final String TYPE_XML = "text/xml;charset=UTF-8";

    /** The longest array that every JVM can allocate. */
    static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

    private static final int SHOWN_CHARS = 40;

    private final String namespace;
    private final String name;
    private final String type;
    private final Payload payload;
    private final @Nullable MessageElement signature;

    private MessageElement(
            String namespace, String name, String type, Payload payload, @Nullable MessageElement signature) {
        this.namespace = Objects.requireNonNull(namespace, "namespace");
        this.name = Objects.requireNonNull(name, "name");
        this.type = Objects.requireNonNull(type, "type");
        this.payload = Objects.requireNonNull(payload, "payload");
        this.signature = signature;
    }

    /**
     * An element with all its parts but the signature.
     *
     * @throws IllegalArgumentException when {@code type} does not read {@code type/subtype}
     */
    public static MessageElement of(String namespace, String name, String type, Payload payload) {
        return new MessageElement(namespace, name, checkedType(type), payload, null);
    }

    /**
     * An element of type {@link #TYPE_BYTES} around the array, which is not copied: takes ownership, the array must not
     * be changed afterwards.
     */
    public static MessageElement of(String name, byte[] bytes) {
        return new MessageElement("", name, TYPE_BYTES, Payload.of(bytes), null);
    }

    /**
     * An element of type {@link #TYPE_BYTES} around a range of the array, which is not copied: takes ownership, the
     * range must not be changed afterwards.
     *
     * @throws IllegalArgumentException when the range does not lie in the array
     */
    public static MessageElement of(String name, byte[] bytes, int offset, int length) {
        return new MessageElement("", name, TYPE_BYTES, Payload.of(bytes, offset, length), null);
    }

    /**
     * An element of type {@link #TYPE_BYTES} around the buffer's remaining bytes, which are not copied: takes ownership,
     * they must not be changed afterwards. From direct memory they go to the network without a copy.
     */
    public static MessageElement of(String name, ByteBuffer bytes) {
        return new MessageElement("", name, TYPE_BYTES, Payload.of(bytes), null);
    }

    /** An element of type {@link #TYPE_BYTES} with a copy of the array (borrowed for this call). */
    public static MessageElement copyOf(String name, byte[] bytes) {
        return of(name, bytes.clone());
    }

    /**
     * An element of type {@link #TYPE_BYTES} with a copy of the buffer's remaining bytes; the buffer and its position
     * stay as they are (borrowed for this call).
     */
    public static MessageElement copyOf(String name, ByteBuffer bytes) {
        return new MessageElement("", name, TYPE_BYTES, Payload.copyOf(bytes), null);
    }

    /** An element of type {@link #TYPE_TEXT}; an unpaired surrogate in the text becomes a question mark. */
    public static MessageElement ofText(String name, String text) {
        return new MessageElement("", name, TYPE_TEXT, Payload.of(text.getBytes(StandardCharsets.UTF_8)), null);
    }

    /** A text element in another charset, which its type names; what the charset can't say is replaced. */
    public static MessageElement ofText(String name, String text, Charset charset) {
        String type = charset.equals(StandardCharsets.UTF_8) ? TYPE_TEXT : "text/plain;charset=" + charset.name();
        return new MessageElement("", name, type, Payload.of(text.getBytes(charset)), null);
    }

    /** An element of type {@link #TYPE_XML}; the document is taken as it is and not checked. */
    public static MessageElement ofXml(String name, String document) {
        return new MessageElement("", name, TYPE_XML, Payload.of(document.getBytes(StandardCharsets.UTF_8)), null);
    }

    /**
     * An element of type {@link #TYPE_BYTES} with the content of a file. The size is that of the file now; the content
     * is read when the message is encoded, in the sender's thread, and what the file has grown by then is left out.
     * Encoding fails when the file has become shorter.
     *
     * @throws IOException when the file is not there
     * @throws IllegalArgumentException when the path is not a regular file
     */
    public static MessageElement ofFile(String name, Path path) throws IOException {
        return new MessageElement("", name, TYPE_BYTES, FilePayload.whole(path), null);
    }

    /**
     * An element with a region of a file, read as for {@link #ofFile(String, Path)}.
     *
     * @param offset where the region begins, in bytes
     * @param length the size of the region in bytes
     * @throws IOException when the file is not there
     * @throws IllegalArgumentException when the path is not a regular file, or the region not inside it
     */
    public static MessageElement ofFile(String name, Path path, long offset, long length) throws IOException {
        return new MessageElement("", name, TYPE_BYTES, FilePayload.region(path, offset, length), null);
    }

    /**
     * An element of type {@link #TYPE_BYTES} with all that the stream still has, read now, in this thread. The stream
     * is not closed.
     *
     * @param maxBytes how much to read at most; when the stream has more, nothing is made and the call fails with
     *     MESSAGE_TOO_LARGE
     * @throws IOException what the stream throws
     */
    public static MessageElement ofStream(String name, InputStream stream, long maxBytes) throws IOException {
        if (maxBytes < 0 || maxBytes > MAX_ARRAY_BYTES) {
            throw new IllegalArgumentException("maxBytes: " + maxBytes + " (expected: 0 to " + MAX_ARRAY_BYTES + ")");
        }
        byte[] bytes = stream.readNBytes((int) maxBytes);
        if (bytes.length == maxBytes && stream.read() >= 0) {
            throw ErrorCode.MESSAGE_TOO_LARGE.exception("element " + name + " from a stream: more than " + maxBytes
                    + " bytes (expected: <= maxBytes " + maxBytes + ")");
        }
        return of(name, bytes);
    }

    /** The namespace, empty unless one was given. */
    public String namespace() {
        return namespace;
    }

    public String name() {
        return name;
    }

    /** The MIME type, with its parameters. */
    public String type() {
        return type;
    }

    /** The bytes, for codecs; applications rather call {@link #text}, {@link #toByteArray} and the like. */
    public Payload payload() {
        return payload;
    }

    /** The element that signs this one. What it means is up to whoever signs; it lies in this element's namespace. */
    public Optional<MessageElement> signature() {
        return Optional.ofNullable(signature);
    }

    /** The size of the content in bytes. */
    public long size() {
        return payload.size();
    }

    /**
     * The charset that the type's parameter names (IANA or Java name), UTF-8 without one; empty when this JVM does not
     * know it.
     */
    public Optional<Charset> charset() {
        return Optional.ofNullable(knownCharset());
    }

    private @Nullable Charset knownCharset() {
        return type.equals(TYPE_TEXT) ? StandardCharsets.UTF_8 : MimeTypes.charsetOf(type);
    }

    /**
     * The content as text, decoded by the {@link #charset}.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE when this JVM does not know the charset
     */
    public String text() {
        Charset charset = knownCharset();
        if (charset == null) {
            throw ErrorCode.MALFORMED_MESSAGE.exception(
                    "element " + qualifiedName() + ": unknown charset in its type " + type);
        }
        return payload.text(charset);
    }

    /** The content in a new array. */
    public byte[] toByteArray() {
        return payload.toByteArray();
    }

    /** The content as a read-only buffer, without a copy unless it is a file or was lent in several pieces. */
    public ByteBuffer asByteBuffer() {
        return payload.asByteBuffer();
    }

    /** The content as a stream; the caller closes it. */
    public InputStream openStream() {
        return payload.openStream();
    }

    /** This element in another namespace; its signature moves with it. */
    public MessageElement withNamespace(String newNamespace) {
        MessageElement movedSignature = signature == null ? null : signature.withNamespace(newNamespace);
        return new MessageElement(newNamespace, name, type, payload, movedSignature);
    }

    /** This element under another name. */
    public MessageElement withName(String newName) {
        return new MessageElement(namespace, newName, type, payload, signature);
    }

    /**
     * This element with another MIME type; the bytes stay as they are.
     *
     * @throws IllegalArgumentException when the type does not read {@code type/subtype}
     */
    public MessageElement withType(String newType) {
        return new MessageElement(namespace, name, checkedType(newType), payload, signature);
    }

    /** This element with another content; the type stays, and so does the signature, whatever it now is worth. */
    public MessageElement withPayload(Payload newPayload) {
        return new MessageElement(namespace, name, type, newPayload, signature);
    }

    /**
     * This element with that signature, which is put into this element's namespace because the wire has no other place
     * for it.
     *
     * @throws IllegalArgumentException when the signature is itself signed
     */
    public MessageElement withSignature(MessageElement newSignature) {
        if (newSignature.signature != null) {
            throw new IllegalArgumentException(
                    "signature: " + newSignature.qualifiedName() + " (expected: an element without a signature)");
        }
        MessageElement moved =
                newSignature.namespace.equals(namespace) ? newSignature : newSignature.withNamespace(namespace);
        return new MessageElement(namespace, name, type, payload, moved);
    }

    private static String checkedType(String type) {
        if (!type.equals(TYPE_BYTES) && !type.equals(TYPE_TEXT) && !type.equals(TYPE_XML) && !MimeTypes.isValid(type)) {
            throw new IllegalArgumentException("type: '" + type + "' (expected: a MIME type such as text/plain)");
        }
        return type;
    }

    /** {@code namespace:name}, for messages to people. */
    String qualifiedName() {
        return namespace.isEmpty() ? shown(name) : shown(namespace) + ':' + shown(name);
    }

    private static String shown(String string) {
        return string.length() <= SHOWN_CHARS ? string : string.substring(0, SHOWN_CHARS) + "...";
    }

    boolean isNamed(String wantedNamespace, String wantedName) {
        return name.equals(wantedName) && namespace.equals(wantedNamespace);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MessageElement that
                && isNamed(that.namespace, that.name)
                && type.equals(that.type)
                && payload.equals(that.payload)
                && Objects.equals(signature, that.signature);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * namespace.hashCode() + name.hashCode()) + payload.hashCode();
    }

    @Override
    public String toString() {
        return "MessageElement[" + qualifiedName() + ", " + type + ", " + payload
                + (signature == null ? "]" : ", signed]");
    }
}
