package io.parley.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.testkit.Eventually;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WorkerProcessTest {

    @TempDir
    private Path folder = Path.of("");

    @Test
    void runnerEnds_soDoesAWorkerThatReadsNothing() throws Exception {
        Process runner = start(RunnerMain.class, folder.toString());
        assertThat(runner.waitFor(Eventually.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(runner.exitValue()).isZero();
        ProcessHandle.of(Long.parseLong(Files.readString(folder.resolve("pid"))))
                .ifPresent(worker -> {
                    try {
                        Eventually.get(worker.onExit(), "the end of the worker");
                    } finally {
                        worker.destroyForcibly();
                    }
                });
    }

    @Test
    void inputEnds_duringACommandThatDoesNotReturn_theWorkerEnds() throws Exception {
        Process worker = start(StuckMain.class);
        try {
            worker.getOutputStream().write("command\n".getBytes(StandardCharsets.UTF_8));
            worker.getOutputStream().flush();
            assertThat(worker.inputReader().readLine()).isEqualTo("stuck");

            worker.getOutputStream().close();

            assertThat(worker.waitFor(Eventually.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        } finally {
            worker.destroyForcibly();
        }
    }

    private static Process start(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(JvmCommand.command(List.of()));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Starts a worker, writes its process id to the file {@code pid}, and exits without closing it. */
    static final class RunnerMain {

        private RunnerMain() {}

        public static void main(String[] args) throws Exception {
            Path folder = Path.of(args[0]);
            WorkerProcess worker = WorkerProcess.start(DeafMain.class, folder, List.of());
            Files.writeString(folder.resolve("pid"), worker.ready().address());
            System.exit(0);
        }
    }

    /** Does not read its standard input, as a worker in a long command. */
    static final class DeafMain {

        private DeafMain() {}

        public static void main(String[] args) throws InterruptedException {
            System.out.println(
                    WorkerConsole.PREFIX + "ready 0 " + ProcessHandle.current().pid() + "|");
            new CountDownLatch(1).await();
        }
    }

    /** Never completes its first command. */
    static final class StuckMain {

        private StuckMain() {}

        public static void main(String[] args) {
            PrintStream out = System.out;
            WorkerConsole console = WorkerConsole.take();
            console.runAndHalt(() -> console.obey(command -> {
                out.println("stuck");
                new CountDownLatch(1).await();
                return "";
            }));
        }
    }
}
