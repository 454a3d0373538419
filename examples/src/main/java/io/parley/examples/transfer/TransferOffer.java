package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.message.MessageElement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The list of a sender's files, as the receiver reads it.
 *
 * @param directories the directories, parents first
 * @param files       the files, in the order of their index
 */
record TransferOffer(List<TransferPath> directories, List<OfferedFile> files) {

    /** A file that the sender offers. */
    record OfferedFile(TransferPath path, long size) {}

    /** A path with its key. Not a map by path: a sender can invent many paths with one hash. */
    private record KeyedPath(String key, TransferPath path) {

        static KeyedPath of(TransferPath path) {
            return new KeyedPath(path.sortKey(), path);
        }
    }

    /** Reads the list. */
    static TransferOffer read(ElementSource source) throws InterruptedException {
        List<TransferPath> directories = new ArrayList<>();
        List<OfferedFile> files = new ArrayList<>();
        Set<String> paths = new HashSet<>();
        Set<String> listedDirectories = new HashSet<>();
        int pathBytes = 0;
        while (true) {
            MessageElement element = source.next();
            switch (element.name()) {
                case TransferProtocol.DIR -> {
                    TransferPath path = path(element.text(), paths);
                    checkDirectory(path, listedDirectories);
                    pathBytes = checkedSum(pathBytes, path);
                    directories.add(path);
                    listedDirectories.add(path.text());
                }
                case TransferProtocol.FILE -> {
                    String[] fields = TransferProtocol.fields(element.text(), 2);
                    TransferPath path = path(fields[1], paths);
                    checkDirectory(path, listedDirectories);
                    pathBytes = checkedSum(pathBytes, path);
                    files.add(new OfferedFile(path, TransferProtocol.number(fields[0], Long.MAX_VALUE)));
                }
                case TransferProtocol.LISTED -> {
                    TransferOffer offer = new TransferOffer(directories, files);
                    offer.check(element.text());
                    return offer;
                }
                default ->
                    throw TransferProtocol.violation("unexpected element " + element.name() + " in the list of files");
            }
        }
    }

    private static TransferPath path(String text, Set<String> paths) {
        if (paths.size() >= TransferProtocol.MAX_ENTRIES) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "files and directories: too many (expected: <= " + TransferProtocol.MAX_ENTRIES + ")");
        }
        if (!paths.add(text)) {
            throw TransferProtocol.violation("path '" + text + "' occurs twice");
        }
        try {
            return new TransferPath(text);
        } catch (IllegalArgumentException e) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(String.valueOf(e.getMessage()), e);
        }
    }

    /** Fails if the directory of a path is not in the list before it: it would be created, but count toward no limit. */
    private static void checkDirectory(TransferPath path, Set<String> listedDirectories) {
        String text = path.text();
        int slash = text.lastIndexOf('/');
        if (slash >= 0 && !listedDirectories.contains(text.substring(0, slash))) {
            throw TransferProtocol.violation("path '" + text + "': its directory is not in the list before it");
        }
    }

    private static int checkedSum(int pathBytes, TransferPath path) {
        int sum = pathBytes + path.bytes();
        if (sum > TransferProtocol.MAX_PATH_BYTES) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "names of files: too many bytes (expected: <= " + TransferProtocol.MAX_PATH_BYTES + ")");
        }
        return sum;
    }

    /** Returns all paths: those of the directories, then those of the files. */
    Stream<TransferPath> paths() {
        return Stream.concat(directories.stream(), files.stream().map(OfferedFile::path));
    }

    /** Returns the paths that a user may not want: hidden ones, deceptive ones, and those that differ only in case. */
    List<TransferPath> unusualPaths() {
        List<KeyedPath> sorted = paths().map(KeyedPath::of)
                .sorted(Comparator.comparing(KeyedPath::key))
                .toList();
        List<TransferPath> unusual = new ArrayList<>();
        for (int i = 0; i < sorted.size(); i++) {
            TransferPath path = sorted.get(i).path();
            if (path.isHidden()
                    || path.hasInvisibleCharacters()
                    || (i > 0 && path.isConfusedWith(sorted.get(i - 1).path()))) {
                unusual.add(path);
            }
        }
        return unusual;
    }

    private void check(String totals) {
        String[] fields = TransferProtocol.fields(totals, 2);
        if (TransferProtocol.number(fields[0], TransferProtocol.MAX_ENTRIES) != files.size()
                || TransferProtocol.number(fields[1], Long.MAX_VALUE) != bytes()) {
            throw TransferProtocol.violation(
                    "totals of the list of files: " + totals + " (expected: " + files.size() + " " + bytes() + ")");
        }
    }

    /** Returns the size of all files, in bytes. Fails if it exceeds the range of {@code long}. */
    long bytes() {
        long bytes = 0;
        for (OfferedFile file : files) {
            if (file.size() > Long.MAX_VALUE - bytes) {
                throw TransferProtocol.violation("size of all files: too large (expected: <= " + Long.MAX_VALUE + ")");
            }
            bytes += file.size();
        }
        return bytes;
    }
}
