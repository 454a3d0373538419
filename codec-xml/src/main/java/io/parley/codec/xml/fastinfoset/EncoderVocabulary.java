package io.parley.codec.xml.fastinfoset;

import io.parley.message.Payload;

/**
 * The tables of the decoder as the encoder knows them, and the policy of what to add. A type is added when it is first
 * written, names and short payloads when they occur a second time, so that values that do not recur take no room. If a
 * table is full, absent values are spelled out. After that has cost about the same as filling the tables again, the
 * next message restarts with empty tables. Therefore neither a change of the traffic nor a sequence of new values costs
 * more than a small part of the traffic.
 */
final class EncoderVocabulary {
    private static final int MAX_ADDED_VALUE_BYTES = 256;
    /** For a shorter chunk, an index saves almost nothing. */
    private static final int MIN_ADDED_CHUNK_BYTES = 3;

    private static final int MAX_ADDED_CHUNK_BYTES = 256;
    /** Beyond this number of values, a type must also occur twice before it is added. */
    private static final int FREE_TYPES = FastInfosetFormat.MAX_VALUES / 2;
    /** The bytes that may be spelled out because a table is full, before the tables restart. */
    private static final int MAX_MISSED_BYTES = FastInfosetFormat.MAX_CHUNKS_BYTES;

    /** The result of a look-up for a value that is not in the table. */
    static final int ABSENT = -1;

    /**
     * The maximum size in bytes of the state between messages: for each value two strings, at most two bytes per byte
     * of UTF-8, and their indices; for each chunk an array and its index; the hashes; and the arrays of the output.
     */
    static final int MAX_STATE_BYTES = FastInfosetFormat.MAX_VALUES * 192
            + 2 * FastInfosetFormat.MAX_VALUES_BYTES
            + FastInfosetFormat.MAX_CHUNKS * 64
            + FastInfosetFormat.MAX_CHUNKS_BYTES
            + 2 * 4 * RecentHashes.SLOTS
            + FastInfosetOutput.MAX_RETAINED_BYTES
            + 12 * FastInfosetOutput.MAX_RETAINED_PAYLOADS
            + 4096;

    private static final String NO_SECOND = "";

    private final RecentHashes recentValues = new RecentHashes();
    private final RecentHashes recentChunks = new RecentHashes();

    private final StringIndex names = new StringIndex();
    private final StringIndex types = new StringIndex();
    private final ChunkIndex chunks = new ChunkIndex();
    private Checkpoint counts = new Checkpoint();
    private final Checkpoint committed = new Checkpoint();
    private boolean restartPending = true;

    /** Begins a message. Returns whether it must be a complete document; then the tables are empty. */
    boolean beginMessage() {
        boolean restart = restartPending || counts.missedBytes > MAX_MISSED_BYTES;
        if (restart) {
            restartPending = true;
            counts = new Checkpoint();
            names.truncate(0);
            types.truncate(0);
            chunks.truncate(0);
        }
        return restart;
    }

    /** Keeps the additions of a message that was encoded successfully. */
    void commit() {
        restartPending = false;
        counts.names = names.count();
        counts.types = types.count();
        counts.chunks = chunks.count();
        committed.set(counts);
    }

    /**
     * Removes the additions of a message that failed, because the decoder does not receive them. After a restart, the
     * next message is a complete document again.
     */
    void rollback() {
        counts.set(committed);
        names.truncate(counts.names);
        types.truncate(counts.types);
        chunks.truncate(counts.chunks);
    }

    // -- names of the format, each of which is spelled out once

    /**
     * Adds the names of an element and its required attributes. Returns false if the decoder has them already.
     */
    boolean addElementNames() {
        boolean added = !counts.elementKnown;
        counts.elementKnown = true;
        return added;
    }

    /** Returns the index of the value "base64", or {@link #ABSENT} if neither it nor its attribute name was written. */
    int base64() {
        return counts.base64;
    }

    /** Adds the value "base64". There is always room for it. */
    void addBase64(int bytes) {
        counts.base64 = addValue(bytes);
    }

    // -- attribute values

    /** Adds the version of the root element. Must be the first addition. */
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

    /** Adds an absent name of {@code bytes} bytes in UTF-8 if the policy permits it. Returns whether it was added. */
    boolean addName(String namespace, String name, int bytes) {
        if (!isRepeated(31 * namespace.hashCode() + name.hashCode(), bytes) || !hasRoom(bytes)) {
            return false;
        }
        names.add(namespace, name, addValue(bytes));
        return true;
    }

    /** Adds an absent type of {@code bytes} bytes in UTF-8 if the policy permits it. Returns whether it was added. */
    boolean addType(String type, int bytes) {
        boolean permitted = isRepeated(~type.hashCode(), bytes) || counts.values < FREE_TYPES;
        if (!permitted || bytes > MAX_ADDED_VALUE_BYTES || !hasRoom(bytes)) {
            return false;
        }
        types.add(type, NO_SECOND, addValue(bytes));
        return true;
    }

    private boolean isRepeated(int hash, int bytes) {
        return bytes <= MAX_ADDED_VALUE_BYTES && recentValues.testAndAdd(hash);
    }

    private boolean hasRoom(int bytes) {
        boolean room = counts.values < FastInfosetFormat.MAX_VALUES - 1
                && counts.valueBytes + bytes <= FastInfosetFormat.MAX_VALUES_BYTES - MAX_ADDED_VALUE_BYTES;
        counts.missedBytes += room ? 0 : bytes;
        return room;
    }

    // -- contents

    /** Returns whether the size of a payload permits an addition to the table of chunks. */
    static boolean mayAdd(Payload payload) {
        return payload.size() >= MIN_ADDED_CHUNK_BYTES && payload.size() <= MAX_ADDED_CHUNK_BYTES && payload.hasArray();
    }

    int chunk(Payload payload, int hash) {
        return chunks.find(payload, hash);
    }

    /** Adds an absent payload if the policy permits it. Returns whether it was added. */
    boolean addChunk(Payload payload, int hash) {
        if (!recentChunks.testAndAdd(hash)) {
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

    /**
     * A lossy set of recent hashes, used to add only recurring values to a table that the decoder must store as well. A
     * hash may replace another one. An error costs some bytes on the wire and nothing else.
     */
    private static final class RecentHashes {
        private static final int SLOTS = 1024;

        private final int[] slots = new int[SLOTS];

        /** Adds a hash and returns whether it was present. */
        boolean testAndAdd(int hash) {
            int slot = (hash ^ hash >>> 16) & (SLOTS - 1);
            boolean present = slots[slot] == hash;
            slots[slot] = hash;
            return present;
        }
    }

    /** The counts that a failed message must restore. */
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
