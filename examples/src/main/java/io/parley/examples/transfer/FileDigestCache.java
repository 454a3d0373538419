package io.parley.examples.transfer;

import io.parley.examples.transfer.SourceTree.SourceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The digests of whole files that receivers have: a receiver that names all files again and again costs one reading of each. A digest
 * is used while the size and the modification time of its file stay the same. Contains only files of the newest list. Thread-safe.
 */
final class FileDigestCache {

    /** Reads a file and returns its digest. */
    @FunctionalInterface
    interface DigestReader {
        byte[] read(SourceFile file) throws IOException;
    }

    private static final class Entry {
        private final long size;
        private final FileTime modified;
        private final byte[] digest;

        Entry(SourceFile file, FileTime modified, byte[] digest) {
            this.size = file.size();
            this.modified = modified;
            this.digest = digest;
        }
    }

    private final DigestReader reader;
    private final Map<Path, Entry> entries = new ConcurrentHashMap<>();

    FileDigestCache() {
        this(file -> FilePrefix.of(file.source(), file.size(), file.size()).digest());
    }

    FileDigestCache(DigestReader reader) {
        this.reader = reader;
    }

    /** Removes the digests of files that are not in a list. */
    void retain(SourceTree tree) {
        Set<Path> listed = tree.files().stream().map(SourceFile::source).collect(Collectors.toSet());
        entries.keySet().retainAll(listed);
    }

    /** Returns the digest of a file that is not empty. The caller must not change the array. */
    byte[] digest(SourceFile file) throws IOException {
        FileTime modified = Files.getLastModifiedTime(file.source());
        Entry known = entries.get(file.source());
        if (known != null && known.size == file.size() && known.modified.equals(modified)) {
            return known.digest;
        }
        byte[] digest = reader.read(file);
        if (Files.getLastModifiedTime(file.source()).equals(modified)) { // it was not written meanwhile
            entries.put(file.source(), new Entry(file, modified, digest));
        }
        return digest;
    }

    int size() {
        return entries.size();
    }
}
