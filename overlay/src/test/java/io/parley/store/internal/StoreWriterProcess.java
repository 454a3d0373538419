package io.parley.store.internal;

import io.parley.common.Scheduler;
import io.parley.id.GroupId;
import io.parley.store.StoreLimits;
import io.parley.testkit.ConfirmationProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** A process that stores entries and prints the number of confirmed ones until it is killed. */
final class StoreWriterProcess {
    private static final int PER_FLUSH = 5;

    private StoreWriterProcess() {}

    static ConfirmationProcess start(Path file) throws IOException {
        return ConfirmationProcess.start(StoreWriterProcess.class, 0, file.toString());
    }

    /** Returns the entry that the process stores as number {@code i}. */
    static StoreEntry entry(int i) {
        byte[] document = ("document " + i + " ").repeat(50).getBytes(StandardCharsets.UTF_8);
        return new StoreEntry(
                new StoreKey(GroupId.NET, "pipe", "n" + i),
                List.of(new StoreAttribute("Name", "v" + i), new StoreAttribute("All", "x")),
                i,
                Long.MAX_VALUE,
                document);
    }

    /** Runs in the child process: continues after the existing entries. */
    public static void main(String[] arguments) throws Exception {
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        AdvertisementStore store =
                AdvertisementStore.open(Path.of(arguments[0]), StoreLimits.DEFAULTS, Scheduler.system(), executor);
        int next = (int) store.count();
        while (true) {
            for (int i = 0; i < PER_FLUSH; i++) {
                store.put(entry(next++));
            }
            store.flush().get();
            System.out.println(next);
        }
    }
}
