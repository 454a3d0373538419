package io.parley.store.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.store.StoreLimits;
import io.parley.store.internal.StoreMetrics.Counter;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.ClockScheduler;
import io.parley.testkit.ConfirmationProcess;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FileStoreTest extends AdvertisementStoreContractTest {
    private static final int ENTRIES = 2000;

    /** MVStore writes its header twice. */
    private static final int HEADER_BYTES = 8192;

    @TempDir
    Path temp;

    private Path file;

    @BeforeEach
    void name() {
        file = temp.resolve("home").resolve("advertisements.mv");
    }

    @Override
    AdvertisementStore create(StoreLimits limits) {
        return AdvertisementStore.open(file, limits, new ClockScheduler(clock, new Random(SEED)), executor);
    }

    private static StoreEntry numbered(int i) {
        return entry(key("n" + i), i, NOW + 1_000_000 + i, "Name", "v" + i, "All", "x");
    }

    /** Writes a store with {@link #ENTRIES} entries and closes it. */
    private void fill() {
        try (AdvertisementStore store = create(StoreLimits.DEFAULTS)) {
            for (int i = 0; i < ENTRIES; i++) {
                store.put(numbered(i));
            }
        }
    }

    @Test
    void open_again_hasAllEntries() {
        AdvertisementStore first = store();
        for (int i = 0; i < ENTRIES; i++) {
            first.put(numbered(i));
        }
        first.put(entry(key("n7"), 5000, NOW + 50, "Name", "changed"));
        first.remove(key("n8"));
        long bytes = first.sizeBytes();
        first.close();

        AdvertisementStore second = store();
        assertThat(second.count()).isEqualTo(ENTRIES - 1);
        assertThat(second.sizeBytes()).isEqualTo(bytes);
        assertThat(names(second.find(byName("v1234"), 10))).containsExactly("n1234");
        assertThat(names(second.find(byName("v7"), 10))).isEmpty();
        assertThat(names(second.find(byName("changed"), 10))).containsExactly("n7");
        assertThat(second.get(key("n8"))).isEmpty();
        assertThat(second.put(numbered(7))).isEqualTo(PutOutcome.STALE);
        clock.advance(Duration.ofMillis(50));
        assertThat(second.get(key("n7"))).isEmpty();
        assertThat(second.metrics().get(Counter.CORRUPT_FILES)).isZero();
    }

    @Test
    void open_withExpiredEntries_returnsNoneAndPurgesThem() {
        fill();
        clock.advance(Duration.ofDays(1));
        AdvertisementStore store = store();
        assertThat(store.find(byName("*"), 10).entries()).isEmpty();
        assertThat(store.get(key("n1"))).isEmpty();
        Eventually.until( // counted after the removal
                () -> "expired entries remain: " + store.count(),
                () -> store.metrics().get(Counter.PURGED) == ENTRIES);
        assertThat(store.count()).isZero();
        assertThat(store.sizeBytes()).isZero();
    }

    @Test
    void open_withLowerLimits_evictsDownToThem() {
        fill();
        AdvertisementStore store =
                store(StoreLimits.DEFAULTS.toBuilder().maxEntries(10).build());
        Eventually.until(() -> "surplus entries remain: " + store.count(), () -> store.count() == 10);
        assertThat(store.find(byName("*"), 100).entries())
                .containsExactlyInAnyOrderElementsOf(IntStream.range(ENTRIES - 10, ENTRIES)
                        .mapToObj(FileStoreTest::numbered)
                        .toList());
    }

    /** Kinds of corruption that cannot be repaired. */
    private enum Corruption {
        TRUNCATED_TO_HALF {
            @Override
            void apply(RandomAccessFile file) throws IOException {
                file.setLength(file.length() / 2);
            }
        },
        TRUNCATED_TO_100_BYTES {
            @Override
            void apply(RandomAccessFile file) throws IOException {
                file.setLength(100);
            }
        },
        TRUNCATED_TO_ITS_HEADER {
            @Override
            void apply(RandomAccessFile file) throws IOException {
                file.setLength(HEADER_BYTES);
            }
        },
        RANDOM_BYTES {
            @Override
            void apply(RandomAccessFile file) throws IOException {
                write(file, 0, (int) file.length());
            }
        },
        RANDOM_HEADER {
            @Override
            void apply(RandomAccessFile file) throws IOException {
                write(file, 0, HEADER_BYTES);
            }
        },
        RANDOM_REST {
            @Override
            void apply(RandomAccessFile file) throws IOException {
                write(file, HEADER_BYTES, (int) file.length() - HEADER_BYTES);
            }
        },
        ZEROS {
            @Override
            void apply(RandomAccessFile file) throws IOException {
                int length = (int) file.length();
                file.seek(0);
                file.write(new byte[length]);
            }
        };

        abstract void apply(RandomAccessFile file) throws IOException;

        private static void write(RandomAccessFile file, int from, int length) throws IOException {
            byte[] bytes = new byte[length];
            new Random(length).nextBytes(bytes);
            file.seek(from);
            file.write(bytes);
        }
    }

    @ParameterizedTest
    @EnumSource
    void open_corruptFile_isMovedAsideAndReported(Corruption corruption) throws IOException {
        fill();
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            corruption.apply(bytes);
        }
        byte[] corrupted = Files.readAllBytes(file);
        AdvertisementStore store;
        try (CapturedLog log = new CapturedLog()) {
            store = store();
            assertThat(log.lines("Moved the corrupt"))
                    .singleElement()
                    .asString()
                    .contains(file.toString());
        }
        assertThat(store.metrics().get(Counter.CORRUPT_FILES)).isEqualTo(1);
        assertThat(movedFiles())
                .singleElement()
                .satisfies(moved -> assertThat(Files.size(moved)).isEqualTo(corrupted.length));
        assertThat(store.count()).isZero();
        store.put(numbered(1));
        Eventually.get(store.flush(), "flush");
        store.close();
        assertThat(store().get(key("n1"))).contains(numbered(1));
    }

    @Test
    void open_emptyFile_isANewStore() throws IOException {
        Files.createDirectories(file.resolveSibling("."));
        Files.createFile(file);
        AdvertisementStore store = store();
        store.put(numbered(1));
        assertThat(store.count()).isEqualTo(1);
        assertThat(store.metrics().get(Counter.CORRUPT_FILES)).isZero();
    }

    /** A process that is killed before the first commit must leave no file, because MVStore cannot open one with nothing but its header. */
    @Test
    void newFile_appearsWithItsFirstCommit() throws IOException {
        Set<Long> sizes = ConcurrentHashMap.newKeySet();
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Void> observer = CompletableFuture.runAsync(() -> {
            while (!done.get()) {
                try {
                    sizes.add(Files.size(file));
                } catch (IOException e) {
                    // There is no file at this moment.
                }
            }
        });
        try {
            for (int i = 0; i < 20 || sizes.isEmpty(); i++) {
                create(StoreLimits.DEFAULTS).close();
                Files.delete(file);
            }
        } finally {
            done.set(true);
        }
        Eventually.get(observer, "the observer");
        assertThat(sizes).allMatch(size -> size > HEADER_BYTES);
    }

    @Test
    void unfinishedNewFile_isReplaced() throws IOException {
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file.resolveSibling("advertisements.mv.new"), "of a process that was killed");
        AdvertisementStore store = store();
        store.put(numbered(1));
        store.close();
        assertThat(store().get(key("n1"))).contains(numbered(1));
        assertThat(file.resolveSibling("advertisements.mv.new")).doesNotExist();
    }

    @Test
    void bitFlips_anywhere_neverProduceAWrongEntryOrAFailure() throws IOException {
        long seed = Long.getLong("parley.test.seed", System.nanoTime());
        System.out.println("parley.test.seed=" + seed);
        Random random = new Random(seed);
        fill();
        byte[] intact = Files.readAllBytes(file);
        int corruptFiles = 0;
        for (int round = 0; round < 30; round++) {
            byte[] flipped = intact.clone();
            for (int flip = 0; flip <= round; flip++) {
                flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
            }
            Files.write(file, flipped);
            // Time stands still: the maintenance could find the damage, and lose the new entry, between a flush and a
            // search.
            try (AdvertisementStore store = AdvertisementStore.open(
                    file, StoreLimits.DEFAULTS, new ManualScheduler(clock, new Random(seed)), executor)) {
                for (int i = 0; i < ENTRIES; i += 1 + random.nextInt(3)) {
                    StoreEntry entry = numbered(i);
                    assertThat(store.get(entry.key())).isIn(Optional.empty(), Optional.of(entry));
                    assertThat(store.find(byName("v" + i), 2).entries()).isIn(List.of(), List.of(entry));
                }
                Eventually.until(
                        () -> "the flush does not complete", store.flush().exceptionally(e -> null)::isDone);
                StoreEntry added = entry(key("new"), 1, NOW + 5, "Name", "new");
                store.put(added);
                if (isLost(store.flush())) { // the change was the first one to read a damaged page
                    store.put(added);
                    Eventually.get(store.flush(), "flush");
                }
                assertThat(names(store.find(byName("new"), 2))).containsExactly("new");
                corruptFiles += (int) store.metrics().get(Counter.CORRUPT_FILES);
            }
        }
        assertThat(corruptFiles).isGreaterThan(10);
        assertThat(movedFiles()).hasSize(StoreLimits.DEFAULTS.maxCorruptFiles());
    }

    /** Returns whether the flush has reported the loss of changes. */
    private static boolean isLost(CompletableFuture<Void> flush) {
        Eventually.until(() -> "the flush does not complete", flush.exceptionally(e -> null)::isDone);
        if (flush.isCompletedExceptionally()) {
            assertThat(Eventually.failure(flush, "flush").getMessage()).contains("lost changes");
            return true;
        }
        return false;
    }

    @Test
    void corruptionFoundLater_failsTheFlushOfLostChanges() throws IOException {
        fill();
        AdvertisementStore store = store();
        store.put(numbered(ENTRIES));
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(8192);
            bytes.write(new byte[(int) bytes.length() - 8192]);
        }
        assertThat(store.find(byName("*17*"), 1000).entries()).isEmpty();
        assertThat(store.metrics().get(Counter.CORRUPT_FILES)).isEqualTo(1);
        assertThat(Eventually.failure(store.flush(), "flush of lost changes"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE));
        store.put(numbered(3));
        Eventually.get(store.flush(), "flush");
        assertThat(names(store.find(byName("*"), 10))).containsExactly("n3");
    }

    @Test
    void corruptFiles_moreThanTheLimit_deletesTheOldest() throws IOException {
        List<List<Path>> seen = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Files.createDirectories(file.resolveSibling("."));
            Files.write(file, new byte[10_000 + i]);
            create(StoreLimits.DEFAULTS.toBuilder().maxCorruptFiles(2).build()).close();
            seen.add(movedFiles());
        }
        assertThat(seen).extracting(List::size).containsExactly(1, 2, 2, 2);
        assertThat(seen.get(3)).extracting(Files::size).containsExactly(10_002L, 10_003L);
    }

    private List<Path> movedFiles() throws IOException {
        try (Stream<Path> paths = Files.list(file.resolveSibling("."))) {
            return paths.filter(path -> path.toString().contains(".damaged-"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void open_twiceInOneProcess_failsNamingTheFile() throws IOException {
        AdvertisementStore store = store();
        assertLocked("in this process");
        store.put(numbered(1));
        store.close();
        assertThat(store().get(key("n1"))).isPresent();
        assertThat(movedFiles()).isEmpty();
    }

    @Test
    void open_lockedByAnotherProcess_failsNamingTheFile() throws IOException {
        try (ConfirmationProcess other = StoreWriterProcess.start(file)) {
            other.await(1);
            assertLocked("by another process");
            other.await(other.confirmed() + 1);
        }
        assertThat(store().get(StoreWriterProcess.entry(0).key())).isPresent();
        assertThat(movedFiles()).isEmpty();
    }

    private void assertLocked(String reason) {
        ParleyException e = catchThrowableOfType(ParleyException.class, () -> create(StoreLimits.DEFAULTS));
        assertThat(e.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(e).hasMessageContaining(file.toString()).hasMessageContaining(reason);
    }

    @Test
    void open_parentIsAFile_failsNamingTheFile() throws IOException {
        Files.createFile(file.getParent());
        ParleyException e = catchThrowableOfType(ParleyException.class, () -> create(StoreLimits.DEFAULTS));
        assertThat(e.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(e).hasMessageContaining(file.toString());
    }

    @Test
    void files_areAccessibleByTheirOwnerOnly() throws IOException {
        assumeTrue(temp.getFileSystem().supportedFileAttributeViews().contains("posix"));
        create(StoreLimits.DEFAULTS).close();
        assertThat(permissions(file)).isEqualTo("rw-------");
        assertThat(permissions(file.resolveSibling("advertisements.mv.lock"))).isEqualTo("rw-------");
        assertThat(permissions(file.getParent())).isEqualTo("rwx------");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        create(StoreLimits.DEFAULTS).close();
        assertThat(permissions(file)).isEqualTo("rw-------");
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void rewriting_keepsFileSizeProportionalToContent() throws IOException {
        int rounds = 100;
        long content;
        try (AdvertisementStore store = create(StoreLimits.DEFAULTS)) {
            for (int round = 1; round <= rounds; round++) {
                for (int i = 0; i < 200; i++) {
                    store.put(entry(key("n" + i), round, NOW + 1000, "Name", "v" + round));
                }
                Eventually.get(store.flush(), "flush");
            }
            content = store.sizeBytes();
        }
        assertThat(Files.size(file)).isLessThan(rounds / 4 * content); // far less than the written bytes
        AdvertisementStore again = store();
        assertThat(again.find(byName("v" + rounds), 1000).entries()).hasSize(200);
        assertThat(again.sizeBytes()).isEqualTo(content);
    }
}
