package io.parley.codec.xml.fastinfoset;

import io.parley.message.Payload;

/**
 * What the other side's tables hold, and what is to be put there. A type is added when it is first written, names and
 * short contents when they come a second time: what never comes again takes no room. When a table is full, what it lacks
 * is spelled out; once that has cost about as much as filling the tables anew, the next message starts afresh. So neither
 * a change of habits nor values that are ever new cost more than a small part of the traffic.
 */
final class EncoderVocabulary {
    private static final int MAX_ADDED_VALUE_BYTES = 256;
    /** Below this, an index would be hardly shorter. */
    private static final int MIN_ADDED_CHUNK_BYTES = 3;

    private static final int MAX_ADDED_CHUNK_BYTES = 256;
    /** Beyond this, types have to come twice as well. */
    private static final int FREE_TYPES = FastInfosetFormat.MAX_VALUES / 2;
    /** What may be spelled out for want of room before the tables are filled anew. */
    private static final int MAX_MISSED_BYTES = FastInfosetFormat.MAX_CHUNKS_BYTES;

    /** What look-ups say of what is not in the tables. */
    static final int ABSENT = -1;

    /**
     * The most that is kept from message to message: of each value two strings of at most two bytes per byte of UTF-8
     * and their places, of each chunk an array and its place, the hashes and the output's arrays.
     */
    static final int MAX_STATE_BYTES = FastInfosetFormat.MAX_VALUES * 192
            + 2 * FastInfosetFormat.MAX_VALUES_BYTES
            + FastInfosetFormat.MAX_CHUNKS * 64
            + FastInfosetFormat.MAX_CHUNKS_BYTES
            + 2 * 4 * RecentHashes.SLOTS
            + FastInfosetOutput.MAX_KEPT_BYTES
            + 12 * FastInfosetOutput.MAX_KEPT_PAYLOADS
            + 4096;

    private static final String NO_SECOND = "";

    private final RecentHashes recentValues = new RecentHashes();
    private final RecentHashes recentChunks = new RecentHashes();

    private final StringIndex names = new StringIndex();
    private final StringIndex types = new StringIndex();
    private final ChunkIndex chunks = new ChunkIndex();
    private Checkpoint counts = new Checkpoint();
    private final Checkpoint committed = new Checkpoint();
    private boolean startAfresh = true;

    /** Begins a message; whether it has to start with a document of its own, for which the tables are empty now. */
    boolean begin() {
        boolean afresh = startAfresh || counts.missedBytes > MAX_MISSED_BYTES;
        if (afresh) {
            startAfresh = true;
            counts = new Checkpoint();
            names.truncate(0);
            types.truncate(0);
            chunks.truncate(0);
        }
        return afresh;
    }

    /** The message is on its way. */
    void commit() {
        startAfresh = false;
        counts.names = names.count();
        counts.types = types.count();
        counts.chunks = chunks.count();
        committed.set(counts);
    }

    /** The message failed: the other side knows what it knew before. After a fresh start, that is nothing. */
    void rollback() {
        counts.set(committed);
        names.truncate(counts.names);
        types.truncate(counts.types);
        chunks.truncate(counts.chunks);
    }

    // -- names of the format, each of which is spelled out once

    /** Whether the other side has the names of an element and its usual attributes; it does from now on. */
    boolean knewElement() {
        boolean knew = counts.elementKnown;
        counts.elementKnown = true;
        return knew;
    }

    /** The index of the value "base64", or {@link #ABSENT} when it is yet to be written, with its attribute's name. */
    int base64() {
        return counts.base64;
    }

    /** "base64" is added; it always has room. */
    void addBase64(int bytes) {
        counts.base64 = addValue(bytes);
    }

    // -- attribute values

    /** The root's version is added, before everything else. */
    void addVersion(int bytes) {
        addValue(bytes);
    }

    private int addValue(int bytes) {
        counts.valueBytes += bytes;
        return counts.values++;
    }

    int name(String namespace, String name) {
        return names.find(namespace, name);
    }

    int type(String type) {
        return types.find(type, NO_SECOND);
    }

    /** Whether a name that is not in the table is to be added, with so many bytes in UTF-8; then it is. */
    boolean addName(String namespace, String name, int bytes) {
        if (!isWanted(31 * namespace.hashCode() + name.hashCode(), bytes) || !hasRoom(bytes)) {
            return false;
        }
        names.add(namespace, name, addValue(bytes));
        return true;
    }

    boolean addType(String type, int bytes) {
        boolean wanted = isWanted(~type.hashCode(), bytes) || counts.values < FREE_TYPES;
        if (!wanted || bytes > MAX_ADDED_VALUE_BYTES || !hasRoom(bytes)) {
            return false;
        }
        types.add(type, NO_SECOND, addValue(bytes));
        return true;
    }

    private boolean isWanted(int hash, int bytes) {
        return bytes <= MAX_ADDED_VALUE_BYTES && recentValues.saw(hash);
    }

    private boolean hasRoom(int bytes) {
        boolean room = counts.values < FastInfosetFormat.MAX_VALUES - 1
                && counts.valueBytes + bytes <= FastInfosetFormat.MAX_VALUES_BYTES - MAX_ADDED_VALUE_BYTES;
        counts.missedBytes += room ? 0 : bytes;
        return room;
    }

    // -- contents

    static boolean mayAdd(Payload payload) {
        return payload.size() >= MIN_ADDED_CHUNK_BYTES && payload.size() <= MAX_ADDED_CHUNK_BYTES && payload.hasArray();
    }

    int chunk(Payload payload, int hash) {
        return chunks.find(payload, hash);
    }

    /** Whether a payload that is not in the table is to be added; then it is. */
    boolean addChunk(Payload payload, int hash) {
        if (!recentChunks.saw(hash)) {
            return false;
        }
        int bytes = (int) payload.size();
        if (chunks.count() == FastInfosetFormat.MAX_CHUNKS
                || counts.chunkBytes + bytes > FastInfosetFormat.MAX_CHUNKS_BYTES) {
            counts.missedBytes += bytes;
            return false;
        }
        counts.chunkBytes += bytes;
        chunks.add(payload, hash);
        return true;
    }

    /** All that a failed message has to undo. */
    private static final class Checkpoint {
        private boolean elementKnown;
        private int base64 = ABSENT;
        private int values;
        private int valueBytes;
        private int chunkBytes;
        private int missedBytes;
        private int names;
        private int types;
        private int chunks;

        void set(Checkpoint other) {
            elementKnown = other.elementKnown;
            base64 = other.base64;
            values = other.values;
            valueBytes = other.valueBytes;
            chunkBytes = other.chunkBytes;
            missedBytes = other.missedBytes;
            names = other.names;
            types = other.types;
            chunks = other.chunks;
        }
    }
}
