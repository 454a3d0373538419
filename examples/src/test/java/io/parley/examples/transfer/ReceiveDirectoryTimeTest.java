package io.parley.examples.transfer;

import io.parley.testkit.CollidingNames;
import io.parley.testkit.ProcessorTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The processor time of a receiver is linear in the number of directories, whatever their names. */
class ReceiveDirectoryTimeTest {

    @TempDir
    private Path directory;

    private static void make(ReceiveDirectory destination, List<TransferPath> paths) {
        try {
            for (TransferPath path : paths) {
                destination.makeDirectory(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The directories exist when the time is measured, so that it does not contain the work of the file system. */
    @Test
    void directoriesThatAreKnown() {
        ProcessorTime.assertLinear("directories of one hash", 250, n -> {
            List<TransferPath> paths =
                    CollidingNames.of(n).stream().map(TransferPath::new).toList();
            try (ReceiveDirectory destination = ReceiveDirectory.open(directory.resolve("" + n))) {
                make(destination, paths);
                return () -> make(destination, paths);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
