package io.parley.store.internal;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Renames corrupt files to {@code <name>.damaged-<milliseconds since 1970>}. Retains only the newest. */
final class CorruptFileQuarantine {
    private final Path file;
    private final int maxFiles;
    private final Clock clock;

    CorruptFileQuarantine(Path file, int maxFiles, Clock clock) {
        this.file = file;
        this.maxFiles = maxFiles;
        this.clock = clock;
    }

    /** Renames the file. Deletes the oldest renamed files beyond the maximum. */
    Path moveAside() throws IOException {
        List<Long> numbers = numbers();
        long newest = numbers.isEmpty() ? 0 : numbers.get(numbers.size() - 1);
        long number = Math.max(clock.millis(), newest + 1);
        Path aside = path(number);
        Files.move(file, aside);
        numbers.add(number);
        for (long surplus : numbers.subList(0, Math.max(0, numbers.size() - maxFiles))) {
            Files.deleteIfExists(path(surplus));
        }
        return aside;
    }

    private Path path(long number) {
        return file.resolveSibling(prefix() + number);
    }

    private String prefix() {
        return file.getFileName() + ".damaged-";
    }

    /** Returns the numbers of the renamed files, the oldest first. */
    private List<Long> numbers() throws IOException {
        List<Long> numbers = new ArrayList<>();
        DirectoryStream.Filter<Path> ours =
                path -> String.valueOf(path.getFileName()).startsWith(prefix());
        try (DirectoryStream<Path> paths = Files.newDirectoryStream(file.resolveSibling("."), ours)) {
            for (Path path : paths) {
                String number = String.valueOf(path.getFileName()).substring(prefix().length());
                if (number.matches("[0-9]{1,18}")) {
                    numbers.add(Long.parseLong(number));
                }
            }
        }
        numbers.sort(Comparator.naturalOrder());
        return numbers;
    }
}
