package io.parley.examples.software;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * The programs of other projects that are installed on this machine, and how much the tests do with them: by default the short form of a
 * build. {@code .ci/install-software} installs the programs, {@code .ci/campaign-software} runs the long form.
 */
public final class Software {

    public static final int MIB = 1024 * 1024;

    /** A campaign requires all programs, because a test that is skipped proves nothing. */
    private static final boolean REQUIRED = Boolean.getBoolean("parley.test.software.required");

    private static final Path POSTGRES_VERSIONS = Path.of("/usr/lib/postgresql");

    private Software() {}

    /**
     * Returns the path of a program.
     *
     * @throws TestAbortedException if it is not installed; an {@link AssertionError} in a campaign
     */
    public static String require(String program) {
        return find(program).orElseThrow(() -> {
            String reason = program + " is not installed (.ci/install-software installs it)";
            if (REQUIRED) {
                throw new AssertionError(reason);
            }
            return new TestAbortedException(reason);
        });
    }

    private static Optional<String> find(String program) {
        Stream<Path> directories = Stream.concat(
                Stream.of(System.getenv("PATH").split(File.pathSeparator)).map(Path::of),
                Stream.concat(Stream.of(Path.of("/usr/sbin")), postgresDirectories().stream()));
        return directories
                .map(directory -> directory.resolve(program))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }

    /** Debian has the server programs of PostgreSQL in a directory for each version. */
    private static List<Path> postgresDirectories() {
        if (!Files.isDirectory(POSTGRES_VERSIONS)) {
            return List.of();
        }
        try (Stream<Path> versions = Files.list(POSTGRES_VERSIONS)) {
            return versions.sorted(Comparator.reverseOrder())
                    .map(version -> version.resolve("bin"))
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Returns how often something is done: a number that a campaign sets, or that of the short form. */
    public static int number(String name, int shortForm) {
        return Integer.getInteger("parley.test.software." + name, shortForm);
    }

    /** Prints figures, which the campaign shows. */
    public static void print(String figures) {
        System.out.println("software, " + figures);
    }

    /** Returns a count in words, with the time since {@code startNanos} and the rate. */
    public static String rate(long count, String unit, long startNanos) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        return String.format(Locale.ROOT, "%d %s in %.2f s (%.0f/s)", count, unit, seconds, count / seconds);
    }

    /**
     * Runs a program to its end and returns what it printed.
     *
     * @throws AssertionError if its exit code is not zero
     */
    public static String run(ProcessBuilder builder, Duration timeout) throws IOException, InterruptedException {
        Path output = Files.createTempFile("parley-software", ".out");
        Process process = builder.redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(output.toFile())
                .start();
        try {
            boolean ended = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
            String text = Files.readString(output, StandardCharsets.UTF_8);
            if (!ended || process.exitValue() != 0) {
                throw new AssertionError(String.join(" ", builder.command())
                        + (ended ? ": exit code " + process.exitValue() : ": not within " + timeout) + "\n" + text);
            }
            return text;
        } finally {
            process.destroyForcibly();
            Files.deleteIfExists(output);
        }
    }
}
