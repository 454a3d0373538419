package io.parley.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a message that has many of them: a small element is a record in one array, and becomes an object each time it is
 * read. 65,000 elements of one byte take 0.7 MB so and 9 MB as objects, all of which each garbage collection would have to mark or
 * copy. Elements that a record cannot represent, or whose names or content are long, are kept as objects. Immutable and thread-safe.
 *
 * <p>A record is a byte of flags; the namespace unless it is empty, the name, and the type unless it is {@link
 * MessageElement#TYPE_BYTES}, each as its length in four bytes and its UTF-8 bytes; the length of the content in two bytes and the
 * content; and the record of the signature, if there is one. An element that is kept as an object is a byte of flags and its index.
 */
final class CompactElements extends AbstractList<MessageElement> implements RandomAccess {

    /** The length of the longest content that is copied into a record, in bytes. */
    private static final int MAX_COPIED_BYTES = 256;

    /**
     * The length of the longest namespace, name and type together that are copied into a record. Elements may share longer ones, which
     * a few bytes of an encoded message refer to; copies for each element would take many times the memory of the objects.
     */
    private static final int MAX_COPIED_NAME_CHARS = 128;

    /** Elements after this number of bytes of records are kept as objects, so that the array never has to be larger than an array can be. */
    private static final int MAX_RECORD_BYTES = 1 << 29;

    private static final int KEPT = 1;
    private static final int HAS_NAMESPACE = 2;
    private static final int HAS_TYPE = 4;
    private static final int HAS_SIGNATURE = 8;

    private final byte[] records;
    private final int[] starts;
    private final MessageElement[] kept;
    private final long payloadBytes;

    private CompactElements(byte[] records, int[] starts, MessageElement[] kept, long payloadBytes) {
        this.records = records;
        this.starts = starts;
        this.kept = kept;
        this.payloadBytes = payloadBytes;
    }

    @Override
    public int size() {
        return starts.length;
    }

    @Override
    public MessageElement get(int index) {
        return read(ByteBuffer.wrap(records).position(starts[Objects.checkIndex(index, starts.length)]));
    }

    /** Returns elements that share the records with these. */
    @Override
    public CompactElements subList(int from, int to) {
        Objects.checkFromToIndex(from, to, starts.length);
        long bytes = 0;
        for (int i = from; i < to; i++) {
            bytes += get(i).size();
        }
        return new CompactElements(records, Arrays.copyOfRange(starts, from, to), kept, bytes);
    }

    /** Returns the sum of the sizes of all contents in bytes. */
    long payloadBytes() {
        return payloadBytes;
    }

    /** Returns the size of the records and of their index in bytes. */
    long recordBytes() {
        return records.length + (long) Integer.BYTES * starts.length;
    }

    /** Returns the elements that are kept as objects. */
    List<MessageElement> kept() {
        return List.of(kept);
    }

    private MessageElement read(ByteBuffer in) {
        int flags = in.get();
        if ((flags & KEPT) != 0) {
            return kept[in.getInt()];
        }
        String namespace = (flags & HAS_NAMESPACE) == 0 ? "" : readString(in);
        String name = readString(in);
        String type = (flags & HAS_TYPE) == 0 ? MessageElement.TYPE_BYTES : readString(in);
        int length = in.getShort();
        Payload content = Payload.of(records, in.position(), length);
        MessageElement element = MessageElement.of(namespace, name, type, content);
        return (flags & HAS_SIGNATURE) == 0
                ? element
                : element.withSignature(read(in.position(in.position() + length)));
    }

    private String readString(ByteBuffer in) {
        int length = in.getInt();
        String string = new String(records, in.position(), length, StandardCharsets.UTF_8);
        in.position(in.position() + length);
        return string;
    }

    /** Collects elements. Not thread-safe. */
    static final class Collector {
        private static final int FIRST_BYTES = 4096;
        private static final int FIRST_ELEMENTS = 256;

        private ByteBuffer out = ByteBuffer.allocate(FIRST_BYTES);
        private int[] starts = new int[FIRST_ELEMENTS];
        private int size;
        private final List<MessageElement> kept = new ArrayList<>();
        private long payloadBytes;

        void add(MessageElement element) {
            if (size == starts.length) {
                starts = Arrays.copyOf(starts, 2 * size);
            }
            starts[size++] = out.position();
            payloadBytes += element.size();
            MessageElement signature = element.signature().orElse(null);
            boolean room = out.position() < MAX_RECORD_BYTES;
            if (room && isRepresentable(element) && (signature == null || isRepresentable(signature))) {
                write(element, signature);
                if (signature != null) {
                    write(signature, null);
                }
            } else {
                require(1 + Integer.BYTES);
                out.put((byte) KEPT).putInt(kept.size());
                kept.add(element);
            }
        }

        int size() {
            return size;
        }

        CompactElements finish() {
            return new CompactElements(
                    Arrays.copyOf(out.array(), out.position()),
                    Arrays.copyOf(starts, size),
                    kept.toArray(MessageElement[]::new),
                    payloadBytes);
        }

        private static boolean isRepresentable(MessageElement element) {
            return element.size() <= MAX_COPIED_BYTES
                    && nameChars(element) <= MAX_COPIED_NAME_CHARS
                    && !(element.payload() instanceof FilePayload)
                    && !element.isSelectedForEncoding()
                    && hasNoSurrogates(element.namespace())
                    && hasNoSurrogates(element.name());
        }

        private static int nameChars(MessageElement element) {
            return element.namespace().length()
                    + element.name().length()
                    + element.type().length();
        }

        /** An unpaired surrogate would not survive UTF-8. A pair would; it is rare enough not to be looked at. */
        private static boolean hasNoSurrogates(String string) {
            for (int i = 0; i < string.length(); i++) {
                if (Character.isSurrogate(string.charAt(i))) {
                    return false;
                }
            }
            return true;
        }

        private void write(MessageElement element, @Nullable MessageElement signature) {
            boolean hasNamespace = !element.namespace().isEmpty();
            boolean hasType = !element.type().equals(MessageElement.TYPE_BYTES);
            require(1);
            out.put((byte) ((hasNamespace ? HAS_NAMESPACE : 0)
                    | (hasType ? HAS_TYPE : 0)
                    | (signature == null ? 0 : HAS_SIGNATURE)));
            if (hasNamespace) {
                write(element.namespace());
            }
            write(element.name());
            if (hasType) {
                write(element.type());
            }
            int length = (int) element.size();
            require(Short.BYTES + length);
            out.putShort((short) length);
            int end = out.position() + length;
            element.payload().readInto(out.slice(out.position(), length), 0);
            out.position(end);
        }

        private void write(String string) {
            byte[] bytes = string.getBytes(StandardCharsets.UTF_8);
            require(Integer.BYTES + bytes.length);
            out.putInt(bytes.length).put(bytes);
        }

        private void require(int bytes) {
            if (out.remaining() < bytes) {
                int capacity = Math.max(Math.multiplyExact(out.capacity(), 2), Math.addExact(out.position(), bytes));
                out = ByteBuffer.wrap(Arrays.copyOf(out.array(), capacity)).position(out.position());
            }
        }
    }
}
