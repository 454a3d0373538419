package io.parley.store.internal;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Files that were set aside: {@code <name>.damaged-<milliseconds since 1970>}. Only the newest are kept. */
final class CorruptFileQuarantine {
    private final Path file;
    private final int kept;
    private final Clock clock;

    CorruptFileQuarantine(Path file, int kept, Clock clock) {
        this.file = file;
        this.kept = kept;
        this.clock = clock;
    }

    /** Gives the file another name, under which it stays for a while. */
    Path setAside() throws IOException {
        List<Long> known = known();
        long newest = known.isEmpty() ? 0 : known.get(known.size() - 1);
        long number = Math.max(clock.millis(), newest + 1);
        Path aside = path(number);
        Files.move(file, aside);
        known.add(number);
        for (long surplus : known.subList(0, Math.max(0, known.size() - kept))) {
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

    /** Oldest first. */
    private List<Long> known() throws IOException {
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
