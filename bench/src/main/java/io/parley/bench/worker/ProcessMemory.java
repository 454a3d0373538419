package io.parley.bench.worker;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The memory and the threads of a process after a full collection. Sizes are in bytes.
 *
 * @param resident  the resident set
 * @param heap      the used part of the heap
 * @param committed the part of the heap that the process has reserved from the operating system
 * @param direct    the direct buffers of Netty and of the JDK
 * @param threads   the live threads
 */
public record ProcessMemory(long resident, long heap, long committed, long direct, int threads) {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String RESIDENT = "VmRSS:";
    private static final String OPEN_FILES = "Max open files";
    private static final int COLLECTIONS = 3;
    private static final long KIB = 1024;

    /** Collects garbage and measures this process. */
    public static ProcessMemory measure() throws IOException {
        for (int i = 0; i < COLLECTIONS; i++) { // cleaners free more after the first one
            System.gc();
        }
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        long buffers = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return new ProcessMemory(
                residentBytes(),
                heap.getUsed(),
                heap.getCommitted(),
                buffers + Math.max(0, PlatformDependent.usedDirectMemory()),
                ManagementFactory.getThreadMXBean().getThreadCount());
    }

    /** Returns the resident set in bytes; 0 if the system does not report it. */
    private static long residentBytes() throws IOException {
        return number(STATUS, RESIDENT, 0) * KIB;
    }

    /** Returns the number of files that this process may open; {@link Long#MAX_VALUE} if it is not known. */
    public static long maxOpenFiles() throws IOException {
        return number(LIMITS, OPEN_FILES, Long.MAX_VALUE);
    }

    private static long number(Path file, String key, long otherwise) throws IOException {
        if (!Files.isReadable(file)) {
            return otherwise;
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(key))
                    .map(line -> line.substring(key.length()).strip().split("\\s+", 2)[0])
                    .filter(text -> text.chars().allMatch(Character::isDigit)) // not "unlimited"
                    .mapToLong(Long::parseLong)
                    .findFirst()
                    .orElse(otherwise);
        }
    }

    /** Returns the native memory that is neither heap nor direct buffers, such as that of TLS, classes and threads. */
    public long nativeBytes() {
        return resident - committed - direct;
    }

    /** Returns the values for the reply of a process, which {@link #parse} reads. */
    public String toText() {
        return "%d %d %d %d %d".formatted(resident, heap, committed, direct, threads);
    }

    /** Parses the result of {@link #toText}. */
    public static ProcessMemory parse(String text) {
        String[] fields = text.split(" ");
        return new ProcessMemory(
                Long.parseLong(fields[0]),
                Long.parseLong(fields[1]),
                Long.parseLong(fields[2]),
                Long.parseLong(fields[3]),
                Integer.parseInt(fields[4]));
    }
}
