package io.parley.examples.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.parley.common.Scheduler;
import io.parley.error.ApplicationException;
import io.parley.examples.console.Console;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CommandHandlerTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private final BlockingQueue<String> outputs = new LinkedBlockingQueue<>();
    private final Queue<CommandHandler> handlers = new ConcurrentLinkedQueue<>();
    private final CommandHandler.Listener ended = (request, exitCode, output) ->
            outputs.add(exitCode + " " + new String(output, StandardCharsets.UTF_8).strip());

    /** Runs a script for a request with so many bytes, on another thread, so that a handler that hangs fails the test. */
    private CompletableFuture<Message> handle(Duration timeout, int bytes, String script) {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        List<String> command =
                List.of("sh", "-c", script, directory.resolve("pid").toString());
        PipeMessage request =
                new PipeMessage(Identity.generate().peerId(), Message.of(CommandHandler.BODY, new byte[bytes]));
        CompletableFuture<Message> response = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try (CommandHandler handler =
                    new CommandHandler(command, timeout, new Console(nowhere, nowhere, false, false), ended)) {
                handlers.add(handler);
                response.complete(handler.handle(request));
            } catch (Exception e) {
                response.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return response;
    }

    private static void assertFailed(CompletableFuture<Message> response, int code) {
        assertThatThrownBy(() -> response.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        ApplicationException.class,
                        e -> assertThat(e.applicationCode()).isEqualTo(code));
    }

    /** Returns the process whose id the script has written; empty if the script was killed before that, on a busy machine. */
    private Optional<ProcessHandle> child() throws IOException {
        Path pid = directory.resolve("pid");
        String text = Files.exists(pid) ? Files.readString(pid).strip() : "";
        return text.isEmpty() ? Optional.empty() : ProcessHandle.of(Long.parseLong(text));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void folderThatIsNoPath_isSkipped() {
        assertThat(CommandHandler.isInFolders("/no\0path:/bin", "sh")).isTrue();
        assertThat(CommandHandler.isInFolders("/no\0path", "sh")).isFalse();
    }

    @Test
    void commandThatDoesNotEnd_isKilledWithItsChildren_andTimersStillRun() throws Exception {
        CompletableFuture<Message> response =
                handle(Duration.ofSeconds(1), 1024 * 1024, "sleep 3600 & echo $! > \"$0\"; wait; cat");

        assertFailed(response, 124);
        await().atMost(TIMEOUT)
                .until(() -> child().filter(ProcessHandle::isAlive).isEmpty());
        CompletableFuture<Void> fired = new CompletableFuture<>();
        Scheduler.system().schedule(Duration.ofSeconds(1), () -> fired.complete(null));
        assertThat(fired).succeedsWithin(TIMEOUT);
    }

    /** An orphan is no child any more, so it lives on, with the input and the output. */
    @Test
    void orphanThatKeepsTheStreams_holdsNoPlaceAfterTheTimeout() throws Exception {
        CompletableFuture<Message> response =
                handle(Duration.ofSeconds(1), 1024 * 1024, "(exec 3<&0; sleep 3600 & echo $! > \"$0\"); sleep 3600");
        try {
            assertFailed(response, 124);
        } finally {
            child().ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void output_isTheResponse_alsoIfTheCommandDoesNotReadItsInput() throws Exception {
        assertThat(handle(TIMEOUT, 1024 * 1024, "echo done")
                        .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                        .bytes(CommandHandler.BODY))
                .hasValue("done\n".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void exitCode_isThatOfTheError() {
        assertFailed(handle(TIMEOUT, 0, "echo some; echo no >&2; exit 7"), 7);
        assertThat(outputs).containsExactly("7 some");
    }

    @Test
    void exitCode_isThatOfTheError_alsoIfAnOrphanKeepsTheErrorStream() throws Exception {
        CompletableFuture<Message> response =
                handle(TIMEOUT.dividedBy(2), 0, "sleep 3600 >/dev/null & echo $! > \"$0\"; exit 3");
        try {
            assertFailed(response, 3);
        } finally {
            child().ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void outputWithoutEnd_isRefused() {
        assertFailed(handle(TIMEOUT, 0, "yes"), 1);
        assertThat(outputs).containsExactly("1 ");
    }

    @Test
    void commandThatTheCloseKills_isReportedWithoutOutput() {
        CompletableFuture<Message> response = handle(TIMEOUT, 0, "echo some; echo $$ > \"$0\"; exec sleep 3600");
        await().atMost(TIMEOUT).until(() -> child().isPresent());

        handlers.forEach(CommandHandler::close);

        assertFailed(response, 137);
        assertThat(outputs).containsExactly("137 ");
    }
}
