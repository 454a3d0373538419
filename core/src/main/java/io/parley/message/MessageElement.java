package io.parley.message;

import io.parley.common.internal.TextSanitizer;
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
 * A named part of a {@link Message}: a namespace, a name, a MIME type and bytes, optionally with a signature. Namespace
 * and name may be empty and may occur several times in a message. Applications use the empty namespace or their own; the
 * namespace {@code jxta} and those that begin with {@code parley} are reserved for the framework.
 *
 * <p>Immutable and thread-safe. Two elements are equal if all their parts are equal; see {@link Payload} for files.
 */
public sealed class MessageElement {
    /** The default type. */
    public static final String TYPE_BYTES = "application/octet-stream";
    /** The type of text elements, in the spelling of JXTA. */
    public static final String TYPE_TEXT = "text/plain;charset=UTF-8";
    /** The type of XML elements, in the spelling of JXTA. */
    public static final String TYPE_XML = "text/xml;charset=UTF-8";

    /** The maximum length of an array that every JVM can allocate. */
    static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

    private static final int SHOWN_CHARS = 40;

    private final String namespace;
    private final String name;
    private final String type;
    private final Payload payload;
    private final @Nullable MessageElement signature;

    /**
     * An element that is selected for encoding. The selection is not a part of the element, because it concerns only the sending peer. A
     * field would cost each element eight bytes.
     */
    private static final class Selected extends MessageElement {

        private Selected(MessageElement element) {
            super(element.namespace, element.name, element.type, element.payload, element.signature);
        }

        @Override
        public boolean isSelectedForEncoding() {
            return true;
        }
    }

    private MessageElement(
            String namespace, String name, String type, Payload payload, @Nullable MessageElement signature) {
        this.namespace = Objects.requireNonNull(namespace, "namespace");
        this.name = Objects.requireNonNull(name, "name");
        this.type = Objects.requireNonNull(type, "type");
        this.payload = Objects.requireNonNull(payload, "payload");
        this.signature = signature;
    }

    /**
     * Creates an element without a signature.
     *
     * @throws IllegalArgumentException if {@code type} does not have the form {@code type/subtype}
     */
    public static MessageElement of(String namespace, String name, String type, Payload payload) {
        return new MessageElement(namespace, name, checkedType(type), payload, null);
    }

    /**
     * Creates an element of type {@link #TYPE_BYTES} without a copy of the array. Takes ownership of {@code bytes}; the
     * array must not be changed afterwards.
     */
    public static MessageElement of(String name, byte[] bytes) {
        return new MessageElement("", name, TYPE_BYTES, Payload.of(bytes), null);
    }

    /**
     * Creates an element of type {@link #TYPE_BYTES} with a range of an array, without a copy. Takes ownership of the
     * range, which must not be changed afterwards.
     *
     * @throws IllegalArgumentException if the range is not inside the array
     */
    public static MessageElement of(String name, byte[] bytes, int offset, int length) {
        return new MessageElement("", name, TYPE_BYTES, Payload.of(bytes, offset, length), null);
    }

    /**
     * Creates an element of type {@link #TYPE_BYTES} with the remaining bytes of a buffer, without a copy. Takes ownership
     * of the bytes, which must not be changed afterwards. Direct memory is written to the network without a copy.
     */
    public static MessageElement of(String name, ByteBuffer bytes) {
        return new MessageElement("", name, TYPE_BYTES, Payload.of(bytes), null);
    }

    /** Creates an element of type {@link #TYPE_BYTES} with a copy of {@code bytes}, which is borrowed for this call. */
    public static MessageElement copyOf(String name, byte[] bytes) {
        return of(name, bytes.clone());
    }

    /**
     * Creates an element of type {@link #TYPE_BYTES} with a copy of the remaining bytes of a buffer. {@code bytes} is
     * borrowed for this call; its position does not change.
     */
    public static MessageElement copyOf(String name, ByteBuffer bytes) {
        return new MessageElement("", name, TYPE_BYTES, Payload.copyOf(bytes), null);
    }

    /** Creates an element of type {@link #TYPE_TEXT}. An unpaired surrogate in the text is replaced by {@code '?'}. */
    public static MessageElement ofText(String name, String text) {
        return new MessageElement("", name, TYPE_TEXT, Payload.of(text.getBytes(StandardCharsets.UTF_8)), null);
    }

    /** Creates a text element in another charset, which its type names. Unmappable characters are replaced. */
    public static MessageElement ofText(String name, String text, Charset charset) {
        String type = charset.equals(StandardCharsets.UTF_8) ? TYPE_TEXT : "text/plain;charset=" + charset.name();
        return new MessageElement("", name, type, Payload.of(text.getBytes(charset)), null);
    }

    /** Creates an element of type {@link #TYPE_XML}. The document is not checked. */
    public static MessageElement ofXml(String name, String document) {
        return new MessageElement("", name, TYPE_XML, Payload.of(document.getBytes(StandardCharsets.UTF_8)), null);
    }

    /**
     * Creates an element of type {@link #TYPE_BYTES} with the content of a file. The size is the current size of the file.
     * The content is read when the message is encoded, in the thread of the sender. Bytes appended in the meantime are
     * not sent. Encoding fails if the file has become shorter.
     *
     * @throws IOException if the file does not exist
     * @throws IllegalArgumentException if the path is not a regular file
     */
    public static MessageElement ofFile(String name, Path path) throws IOException {
        return new MessageElement("", name, TYPE_BYTES, FilePayload.whole(path), null);
    }

    /**
     * Creates an element with a region of a file, which is read as in {@link #ofFile(String, Path)}.
     *
     * @param offset the start of the region, in bytes
     * @param length the size of the region in bytes
     * @throws IOException if the file does not exist
     * @throws IllegalArgumentException if the path is not a regular file, or the region is not inside it
     */
    public static MessageElement ofFile(String name, Path path, long offset, long length) throws IOException {
        return new MessageElement("", name, TYPE_BYTES, FilePayload.region(path, offset, length), null);
    }

    /**
     * Creates an element of type {@link #TYPE_BYTES} with the remaining bytes of a stream. The stream is read by this call,
     * in the calling thread, and is not closed.
     *
     * @param maxBytes the maximum size in bytes; if the stream has more, the call fails with MESSAGE_TOO_LARGE
     * @throws IOException if the stream throws it
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

    /** Returns the namespace, which is empty by default. */
    public String namespace() {
        return namespace;
    }

    /** Returns the name. */
    public String name() {
        return name;
    }

    /** Returns the MIME type with its parameters. */
    public String type() {
        return type;
    }

    /** Returns the bytes, for codecs. Applications should call {@link #text}, {@link #toByteArray} and similar methods. */
    public Payload payload() {
        return payload;
    }

    /** Returns the element that signs this one. Its meaning is defined by the signer; its namespace is that of this element. */
    public Optional<MessageElement> signature() {
        return Optional.ofNullable(signature);
    }

    /** Returns the size of the content in bytes. */
    public long size() {
        return payload.size();
    }

    /**
     * Returns the charset that the type's parameter names (IANA or Java name), UTF-8 if there is no parameter, and empty if
     * this JVM does not support the charset.
     */
    public Optional<Charset> charset() {
        return Optional.ofNullable(knownCharset());
    }

    private @Nullable Charset knownCharset() {
        return type.equals(TYPE_TEXT) ? StandardCharsets.UTF_8 : MimeTypes.charsetOf(type);
    }

    /**
     * Returns the content as text, decoded with the {@link #charset}.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE if this JVM does not support the charset
     */
    public String text() {
        Charset charset = knownCharset();
        if (charset == null) {
            throw ErrorCode.MALFORMED_MESSAGE.exception(
                    "element " + qualifiedName() + ": unsupported charset in type " + shown(type));
        }
        return payload.text(charset);
    }

    /** Returns the content in a new array. */
    public byte[] toByteArray() {
        return payload.toByteArray();
    }

    /** Returns the content as a read-only buffer. Only files, and borrowed memory in several parts, are copied. */
    public ByteBuffer asByteBuffer() {
        return payload.asByteBuffer();
    }

    /** Returns the content as a stream. The caller must close it. */
    public InputStream openStream() {
        return payload.openStream();
    }

    /** Returns a copy of this element in another namespace. The copy of the signature gets the same namespace. */
    public MessageElement withNamespace(String newNamespace) {
        MessageElement movedSignature = signature == null ? null : signature.withNamespace(newNamespace);
        return withSelectionOfThis(new MessageElement(newNamespace, name, type, payload, movedSignature));
    }

    /** Returns a copy of this element with another name. */
    public MessageElement withName(String newName) {
        return withSelectionOfThis(new MessageElement(namespace, newName, type, payload, signature));
    }

    /**
     * Returns a copy of this element with another MIME type and the same bytes.
     *
     * @throws IllegalArgumentException if the type does not have the form {@code type/subtype}
     */
    public MessageElement withType(String newType) {
        return withSelectionOfThis(new MessageElement(namespace, name, checkedType(newType), payload, signature));
    }

    /** Returns a copy of this element with another content. Type and signature are copied; the signature is not checked. */
    public MessageElement withPayload(Payload newPayload) {
        return withSelectionOfThis(new MessageElement(namespace, name, type, newPayload, signature));
    }

    /**
     * Returns a copy of this element with a signature. The signature gets this element's namespace because the wire format
     * has no namespace of its own for it.
     *
     * @throws IllegalArgumentException if the signature itself has a signature
     */
    public MessageElement withSignature(MessageElement newSignature) {
        if (newSignature.signature != null) {
            throw new IllegalArgumentException(
                    "signature: " + newSignature.qualifiedName() + " (expected: an element without a signature)");
        }
        MessageElement moved =
                newSignature.namespace.equals(namespace) ? newSignature : newSignature.withNamespace(namespace);
        return withSelectionOfThis(new MessageElement(namespace, name, type, payload, moved));
    }

    /** Returns a copy of this element that is selected for encoding, see {@link #isSelectedForEncoding}. */
    public MessageElement selectedForEncoding() {
        return new Selected(this);
    }

    /**
     * Returns whether a pipe that encodes selected elements encodes this one, see
     * {@link io.parley.encoding.EncodingPolicy#withProducedElements}. The selection is kept by the {@code with} methods, is not sent,
     * and does not make elements unequal.
     */
    public boolean isSelectedForEncoding() {
        return false;
    }

    private MessageElement withSelectionOfThis(MessageElement changed) {
        return isSelectedForEncoding() ? new Selected(changed) : changed;
    }

    private static String checkedType(String type) {
        if (!type.equals(TYPE_BYTES) && !type.equals(TYPE_TEXT) && !type.equals(TYPE_XML) && !MimeTypes.isValid(type)) {
            throw new IllegalArgumentException(
                    "type: '" + shown(type) + "' (expected: a MIME type such as text/plain)");
        }
        return type;
    }

    /** Returns {@code namespace:name}, clipped and sanitized, for logs and exceptions. */
    String qualifiedName() {
        return namespace.isEmpty() ? shown(name) : shown(namespace) + ':' + shown(name);
    }

    private static String shown(String string) {
        return TextSanitizer.oneLine(
                string.length() <= SHOWN_CHARS ? string : string.substring(0, SHOWN_CHARS) + "...");
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
        return "MessageElement[" + qualifiedName() + ", " + shown(type) + ", " + payload
                + (signature == null ? "]" : ", signed]");
    }
}
