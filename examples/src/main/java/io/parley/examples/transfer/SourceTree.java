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

/**
 * What there is to send: files and directories, as they are at one moment. Symbolic links inside directories and things
 * that are neither file nor directory are left out.
 *
 * @param directories in an order in which they can be made
 * @param files       in the order of their paths
 * @param leftOut     how many links and the like there were
 */
record SourceTree(List<TransferPath> directories, List<SourceFile> files, int leftOut) {

    /** A file: its path for the receiver, where it is, and its size when it was listed. */
    record SourceFile(TransferPath path, Path source, long size) {}

    /** Lists files and whole directories; each appears under its own name. */
    static SourceTree scan(List<Path> roots) throws IOException {
        Scanner scanner = new Scanner();
        Set<String> names = new HashSet<>();
        for (Path root : roots) {
            Path real = root.toRealPath();
            Path name = real.getFileName();
            if (name == null) {
                throw new CommandFailedException(
                        "A whole file system can't be sent. Name a file or a directory in it.");
            }
            if (!names.add(name.toString())) {
                throw new CommandFailedException(
                        "Two things to send are called " + name + ". Send them one after the other.");
            }
            scanner.scan(real, name.toString());
        }
        return scanner.tree();
    }

    /** The bytes of all files. */
    long bytes() {
        return files.stream().mapToLong(SourceFile::size).sum();
    }

    /** How it is called in lines for people. */
    String title() {
        if (directories.isEmpty() && files.size() == 1) {
            return files.get(0).path().text();
        }
        return directories.isEmpty() ? files.size() + " files" : directories.get(0) + "/";
    }

    private static final class Scanner extends SimpleFileVisitor<Path> {
        private final List<TransferPath> directories = new ArrayList<>();
        private final List<SourceFile> files = new ArrayList<>();
        private int leftOut;
        private Path base = Path.of("");
        private String prefix = "";

        void scan(Path root, String name) throws IOException {
            base = root;
            prefix = name;
            Files.walkFileTree(root, this);
        }

        SourceTree tree() {
            if (directories.size() + files.size() > TransferProtocol.MAX_ENTRIES) {
                throw new CommandFailedException("There are " + (directories.size() + files.size())
                        + " files and directories, more than the " + TransferProtocol.MAX_ENTRIES
                        + " that one transfer takes. Pack them into an archive, or send them in parts.");
            }
            files.sort(Comparator.comparing(file -> file.path().text()));
            directories.sort(Comparator.comparing(TransferPath::text));
            return new SourceTree(List.copyOf(directories), List.copyOf(files), leftOut);
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
                leftOut++;
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
                throw new CommandFailedException(file + " can't be sent: " + e.getMessage() + ". Rename it first.", e);
            }
        }
    }
}
