package io.parley.examples.transfer;

import io.parley.examples.console.CommandFailedException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A snapshot of the files and directories to send. Symbolic links inside directories, and entries that are neither a file
 * nor a directory, are omitted.
 *
 * @param directories the directories, parents first
 * @param files       the files, sorted by path
 * @param omitted     the number of omitted entries
 */
record SourceTree(List<TransferPath> directories, List<SourceFile> files, int omitted) {

    /** A file: its path at the receiver, its path here, and its size when it was listed. */
    record SourceFile(TransferPath path, Path source, long size) {}

    /** Fails if no receiver accepts so many files or so long names. */
    SourceTree {
        int entries = directories.size() + files.size();
        if (entries > TransferProtocol.MAX_ENTRIES) {
            throw new CommandFailedException("Files and directories: " + entries + " (expected: <= "
                    + TransferProtocol.MAX_ENTRIES + "). Send an archive, or send them in parts.");
        }
        long pathBytes = Stream.concat(directories.stream(), files.stream().map(SourceFile::path))
                .mapToLong(TransferPath::bytes)
                .sum();
        if (pathBytes > TransferProtocol.MAX_PATH_BYTES) {
            throw new CommandFailedException("Names of files and directories: " + pathBytes + " bytes (expected: <= "
                    + TransferProtocol.MAX_PATH_BYTES + "). Send an archive, or send them in parts.");
        }
    }

    /** Lists files and directories with their content. */
    static SourceTree scan(List<Path> roots) throws IOException {
        Scanner scanner = new Scanner();
        Set<String> names = new HashSet<>();
        for (Path root : roots) {
            Path real = root.toRealPath();
            Path name = real.getFileName();
            if (name == null) {
                throw new CommandFailedException("Cannot send a whole file system. Use a file or a directory in it.");
            }
            if (!names.add(name.toString())) {
                throw new CommandFailedException(
                        "Two of the files have the name " + name + ". Send them one after the other.");
            }
            scanner.scan(real, name.toString());
        }
        return scanner.tree();
    }

    /** Returns the size of all files, in bytes. */
    long bytes() {
        return files.stream().mapToLong(SourceFile::size).sum();
    }

    /** Returns a title for the user. */
    String title() {
        if (directories.isEmpty() && files.size() == 1) {
            return files.get(0).path().text();
        }
        return directories.isEmpty() ? files.size() + " files" : directories.get(0) + "/";
    }

    private static final class Scanner extends SimpleFileVisitor<Path> {
        private final List<TransferPath> directories = new ArrayList<>();
        private final List<SourceFile> files = new ArrayList<>();
        private int omitted;
        private Path base = Path.of("");
        private String prefix = "";

        void scan(Path root, String name) throws IOException {
            base = root;
            prefix = name;
            Files.walkFileTree(root, this);
        }

        SourceTree tree() {
            files.sort(Comparator.comparing(file -> file.path().text()));
            directories.sort(Comparator.comparing(TransferPath::text));
            return new SourceTree(List.copyOf(directories), List.copyOf(files), omitted);
        }

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            directories.add(path(directory));
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
                files.add(new SourceFile(path(file), file, attributes.size()));
            } else {
                omitted++;
            }
            return FileVisitResult.CONTINUE;
        }

        private TransferPath path(Path file) {
            StringBuilder text = new StringBuilder(prefix);
            if (!file.equals(base)) {
                base.relativize(file).forEach(name -> text.append('/').append(name));
            }
            try {
                return new TransferPath(text.toString());
            } catch (IllegalArgumentException e) {
                throw new CommandFailedException(
                        "Cannot send " + file + ": " + e.getMessage() + ". Rename it first.", e);
            }
        }
    }
}
