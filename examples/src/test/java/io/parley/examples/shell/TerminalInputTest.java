package io.parley.examples.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.testkit.Eventually;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.ExternalTerminal;
import org.jline.utils.AttributedString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Keys on a simulated terminal. */
@Timeout(60)
class TerminalInputTest {

    private static final String TAB = "\t";
    private static final String ENTER = "\r";
    private static final String UP = "\u001bOA";

    private static final ShellInput.Completions WORDS =
            new ShellInput.Completions(Set.of("peers", "pipes", "publish", "talk"), Set.of("kettle", "peter"));

    @TempDir
    private Path directory;

    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();

    private TerminalInput input(@Nullable Path history, String... keys) throws IOException {
        ByteArrayInputStream typed =
                new ByteArrayInputStream(String.join("", keys).getBytes(StandardCharsets.UTF_8));
        Terminal terminal = new ExternalTerminal("test", "xterm", typed, screen, StandardCharsets.UTF_8);
        terminal.setSize(new Size(80, 24));
        // The thread of the terminal must not pause within the bytes of a key, which would then be several keys.
        Eventually.until(() -> typed.available() + " bytes not typed", () -> typed.available() == 0);
        return new TerminalInput(terminal, () -> WORDS, history);
    }

    @Test
    void tab_completesACommandAndThenAKnownName() throws Exception {
        try (TerminalInput input = input(null, "pee", TAB, "pe", TAB, ENTER, "tal", TAB, "k", TAB, "hello", ENTER)) {
            assertThat(input.read("> ")).isEqualTo("peers peter ");
            assertThat(input.read("> ")).isEqualTo("talk kettle hello");
            assertThat(input.read("> ")).as("after the last key").isNull();
        }
    }

    @Test
    void tab_ambiguousPrefix_listsTheCandidates() throws Exception {
        try (TerminalInput input = input(null, "p", TAB, "ub", TAB, ENTER)) {
            assertThat(input.read("> ")).isEqualTo("publish ");
            assertThat(AttributedString.stripAnsi(screen.toString(StandardCharsets.UTF_8)))
                    .contains("peers", "pipes", "publish")
                    .doesNotContain("talk", "peter");
        }
    }

    @Test
    void history_withAFile_isLoadedAgain() throws Exception {
        Path history = directory.resolve("history");
        try (TerminalInput input = input(history, "peers a*", ENTER, "talk kettle hello", ENTER)) {
            assertThat(input.read("> ")).isEqualTo("peers a*");
            assertThat(input.read("> ")).isEqualTo("talk kettle hello");
        }
        assertThat(Files.readAllLines(history)).hasSize(2).element(1).asString().endsWith("talk kettle hello");

        try (TerminalInput input = input(history, UP, ENTER, UP, UP, ENTER)) {
            assertThat(input.read("> ")).isEqualTo("talk kettle hello");
            assertThat(input.read("> ")).isEqualTo("peers a*");
        }
    }

    @Test
    void history_withoutAFile_isDiscarded() throws Exception {
        try (TerminalInput input = input(null, "peers a*", ENTER, UP, ENTER)) {
            assertThat(input.read("> ")).isEqualTo("peers a*");
            assertThat(input.read("> ")).isEqualTo("peers a*");
        }
        try (TerminalInput input = input(null, UP, "talk kettle", ENTER)) {
            assertThat(input.read("> ")).isEqualTo("talk kettle");
        }
        assertThat(directory).isEmptyDirectory();
    }
}
