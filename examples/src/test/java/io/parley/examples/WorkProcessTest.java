package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that send tasks to a work queue and execute them. */
@Tag("process")
@Timeout(180)
class WorkProcessTest {

    @TempDir
    private Path directory;

    /** Appends the task to the file "done". The task "twice" fails at the first attempt, and the task "never" each time. */
    private static final String SCRIPT =
            "IFS= read -r line; case $line in twice) [ \"$PARLEY_ATTEMPT\" -gt 1 ] || exit 7;;"
                    + " never) echo not possible >&2; exit 9;; esac; echo \"$line\" >> done";

    @Test
    void send_executesEachLine_andNamesThoseThatFail() throws Exception {
        try (RendezvousFixture rendezvous = RendezvousFixture.start(directory);
                ParleyProcess send = rendezvous
                        .startClient(
                                directory,
                                "work",
                                "send",
                                "letters",
                                "--attempts",
                                "2",
                                "--address",
                                ParleyProcess.ANY_PORT)
                        .readAll();
                ParleyProcess run = ParleyProcess.start(
                        directory,
                        "work",
                        "run",
                        "letters",
                        "--no-multicast",
                        "--rendezvous",
                        rendezvous.address(),
                        "--address",
                        ParleyProcess.ANY_PORT,
                        "--",
                        "sh",
                        "-c",
                        "cd '" + directory + "'; " + SCRIPT)) {
            run.errors().awaitContaining("Working for letters");
            write(send, "one\ntwice\nnever\nfour\n");
            assertThat(send.exitCode()).isEqualTo(1);
            assertThat(send.text()).contains("3 tasks executed, 1 failed");
            assertThat(send.errors().toString()).contains("Task never failed: not possible");
            List<String> done = Files.readAllLines(directory.resolve("done"));
            assertThat(done).containsExactlyInAnyOrder("one", "twice", "four");
        }
    }

    @Test
    void run_isInterrupted_killsTheRunningCommand() throws Exception {
        Path script = Files.writeString(
                directory.resolve("script"), "cd '" + directory + "'; echo $$ > pid; mv pid started; exec sleep 3600");
        Path started = directory.resolve("started");
        try (RendezvousFixture rendezvous = RendezvousFixture.start(directory);
                ParleyProcess send = rendezvous.startClient(
                        directory, "work", "send", "letters", "--address", ParleyProcess.ANY_PORT);
                ParleyProcess run = ParleyProcess.startWithRendezvous(
                        directory,
                        List.of(rendezvous.address()),
                        "work",
                        "run",
                        "letters",
                        "--address",
                        ParleyProcess.ANY_PORT,
                        "sh",
                        script.toString())) {
            run.errors().awaitContaining("Working for letters");
            write(send, "one\n");
            await().atMost(ParleyProcess.TIMEOUT).until(() -> Files.exists(started));
            ProcessHandle command = ProcessHandle.of(
                            Long.parseLong(Files.readString(started).strip()))
                    .orElseThrow();
            try {
                run.interrupt();

                assertThat(run.exitCode()).as("that of a signal").isGreaterThan(128);
                assertThat(run.errors().toString()).doesNotContain("did not end in time");
                command.onExit().get(ParleyProcess.TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            } finally {
                command.destroyForcibly();
            }
        }
    }

    @Test
    void send_isInterrupted_doesNotReportFailuresOfTasks() throws Exception {
        try (ParleyProcess send = ParleyProcess.startWithRendezvous(
                        directory,
                        List.of(ParleyProcess.freeAddress()),
                        "work",
                        "send",
                        "letters",
                        "--address",
                        ParleyProcess.ANY_PORT)
                .readAll()) {
            write(send, "one\ntwo\nthree\n");
            send.errors().awaitContaining("Waiting for a worker");
            send.interrupt();

            assertThat(send.exitCode()).as("that of a signal").isGreaterThan(128);
            assertThat(send.errors().toString()).doesNotContain("failed");
            assertThat(send.text()).isEmpty();
        }
    }

    private static void write(ParleyProcess process, String lines) throws IOException {
        try (OutputStream input = process.input()) {
            input.write(lines.getBytes(StandardCharsets.UTF_8));
        }
    }
}
