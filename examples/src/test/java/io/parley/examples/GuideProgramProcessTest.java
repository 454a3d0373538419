package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The programs of the user guide, each side in processes of its own, some of which are killed. {@code .ci/campaign-week} runs
 * their long form.
 */
@Tag("process")
@Timeout(300)
class GuideProgramProcessTest {

    private static final Path PROGRAMS = Path.of("..", "docs", "guide", "programs");

    /** Whether the programs have the sizes of the campaign. */
    private static final boolean FULL = Boolean.getBoolean("parley.test.week");

    private static final int CLIENTS = 3;
    /** A client takes five seconds for them, so that none ends before the last one has its first response. */
    private static final int REQUESTS = FULL ? 1000 : 500;

    private static final int TASKS = FULL ? 10_000 : 400;
    private static final int WORKERS = FULL ? 8 : 3;
    private static final int KILLED_WORKERS = FULL ? 3 : 1;
    private static final int FILES = FULL ? 5 : 2;
    private static final int FILE_BYTES = FULL ? 100_000_000 : 10_000_000;
    private static final int SUBSCRIBERS = FULL ? 50 : 4;
    private static final int PRICES = FULL ? 5000 : 200;

    @TempDir
    private static Path classes;

    @TempDir
    private static Path rendezvousDirectory;

    private static RendezvousFixture rendezvous;

    @TempDir
    private Path directory;

    private final List<ParleyProcess> processes = new ArrayList<>();

    /** Compiles while the rendezvous starts. */
    @BeforeAll
    static void prepare() throws Exception {
        CompletableFuture<Boolean> compiled = CompletableFuture.supplyAsync(GuideProgramProcessTest::compile);
        rendezvous = RendezvousFixture.start(rendezvousDirectory);
        assertThat(compiled.join()).isTrue();
    }

    private static boolean compile() {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (Stream<Path> sources = Files.walk(PROGRAMS);
                StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<Path> all =
                    sources.filter(path -> path.toString().endsWith(".java")).toList();
            List<String> options =
                    List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
            return compiler.getTask(null, files, null, options, null, files.getJavaFileObjectsFromPaths(all))
                    .call();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterAll
    static void closeRendezvous() {
        rendezvous.close();
    }

    @AfterEach
    void killProcesses() {
        processes.forEach(ParleyProcess::close);
    }

    private ParleyProcess start(String program, Object... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(rendezvous.address()));
        for (Object argument : arguments) {
            words.add(argument.toString());
        }
        ParleyProcess process = ParleyProcess.startClass(classes, List.of("-Xmx64m"), program, words);
        processes.add(process);
        return process;
    }

    private List<ParleyProcess> startSeveral(int count, String program, Object... arguments) throws IOException {
        List<ParleyProcess> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            started.add(start(program, arguments));
        }
        return started;
    }

    private static List<ParleyProcess.Lines> lines(List<ParleyProcess> started) {
        return started.stream().map(ParleyProcess::lines).toList();
    }

    private static void report(String what, long startNanos) {
        System.out.printf("week, %s: %.1f s%n", what, (System.nanoTime() - startNanos) / 1e9);
    }

    @Test
    void service_answersAllRequests_throughACrashAndARestartElsewhere() throws Exception {
        long began = System.nanoTime();
        List<ParleyProcess> clients = startSeveral(CLIENTS, "SquareClient", REQUESTS);
        List<ParleyProcess.Lines> outputs = lines(clients);
        ParleyProcess first = start("SquareService", directory.resolve("first"));
        for (ParleyProcess.Lines output : outputs) {
            output.awaitContaining("from 1 on by ");
        }
        first.kill();
        start("SquareService", directory.resolve("second"));
        for (int i = 0; i < CLIENTS; i++) {
            outputs.get(i).awaitContaining("all " + REQUESTS + " squares are right");
            clients.get(i).assertSuccess();
            assertThat(outputs.get(i).toString().lines().filter(line -> line.startsWith("from ")))
                    .as("one holder after the other: %s", outputs.get(i))
                    .hasSize(2);
        }
        report(CLIENTS + " clients, " + REQUESTS + " requests each, the holder killed", began);
    }

    @Test
    void workQueue_executesAllTasks_whenWorkersAreKilled() throws Exception {
        long began = System.nanoTime();
        Path results = directory.resolve("results");
        List<ParleyProcess> workers = startSeveral(WORKERS, "Worker", results);
        for (ParleyProcess.Lines output : lines(workers)) {
            output.awaitContaining("working");
        }
        ParleyProcess foreman = start("Foreman", TASKS);
        ParleyProcess.Lines output = foreman.lines();
        for (int killed = 0; killed < KILLED_WORKERS; killed++) {
            output.awaitContaining((killed + 1) + "00 tasks executed");
            workers.get(killed).kill();
        }
        output.awaitContaining("all sent, " + TASKS + " tasks executed");
        foreman.assertSuccess();
        try (Stream<Path> files = Files.list(results)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, TASKS)
                            .mapToObj(n -> "scene-" + n)
                            .toList());
        }
        report(TASKS + " tasks, " + WORKERS + " workers, " + KILLED_WORKERS + " killed", began);
    }

    @Test
    void files_arriveEqual_inLittleMemory() throws Exception {
        long began = System.nanoTime();
        List<Object> sources = new ArrayList<>();
        Path target = Files.createDirectories(directory.resolve("target"));
        Random random = new Random(1);
        byte[] content = new byte[FILE_BYTES];
        for (int i = 0; i < FILES; i++) {
            random.nextBytes(content);
            sources.add(Files.write(directory.resolve("file-" + i), content));
        }
        ParleyProcess receiver = start("FileReceiver", target);
        ParleyProcess.Lines output = receiver.lines();
        start("FileSender", sources.toArray()).assertSuccess();
        receiver.assertSuccess();
        for (Object source : sources) {
            Path name = ((Path) source).getFileName();
            output.awaitContaining(name + " is equal");
            assertThat(target.resolve(name)).hasSameBinaryContentAs((Path) source);
        }
        report(FILES + " files of " + FILE_BYTES + " bytes with -Xmx64m", began);
    }

    @Test
    void prices_reachAllSubscribers_oneOfThemSlow() throws Exception {
        long began = System.nanoTime();
        ParleyProcess.Lines slow =
                start("PriceSubscriber", PRICES, "newest", 100).lines();
        List<ParleyProcess.Lines> others = lines(startSeveral(SUBSCRIBERS - 1, "PriceSubscriber", PRICES, "each", 0));
        ParleyProcess publisher = start("PricePublisher", SUBSCRIBERS, PRICES);
        publisher.lines().awaitContaining("published " + PRICES + " prices");
        publisher.assertSuccess();
        for (ParleyProcess.Lines output : others) {
            output.awaitContaining("received " + PRICES + ", missed 0, last " + PRICES);
        }
        String line = slow.awaitContaining(", last " + PRICES);
        Matcher counts = Pattern.compile("received (\\d+), missed (\\d+),").matcher(line);
        assertThat(counts.find()).as(line).isTrue();
        int received = Integer.parseInt(counts.group(1));
        assertThat(received).as(line).isLessThan(PRICES);
        assertThat(received + Integer.parseInt(counts.group(2))).as(line).isEqualTo(PRICES);
        report(PRICES + " prices to " + SUBSCRIBERS + " subscribers; the slow one has " + line, began);
    }
}
