package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.examples.console.Console;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WorkRunCommandTest {

    private static final byte[] OUTPUT = "one\n\"two\"\u0007".getBytes(StandardCharsets.UTF_8);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final PipeMessage task = new PipeMessage(Identity.generate().peerId(), Message.of("body", "x"));

    private void report(boolean json, boolean terminal) {
        Console console = new Console(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                json,
                terminal);
        WorkRunCommand.report(console, task, 0, OUTPUT);
    }

    @Test
    void outputOfTheCommand_isThatOfWorkRun_andTheExitCodeOfTheTaskARemark() {
        report(false, false);

        assertThat(out.toByteArray()).isEqualTo(OUTPUT);
        assertThat(err.toString(StandardCharsets.UTF_8).strip())
                .isEqualTo("Task of " + task.from().shortText() + ": exit code 0");
    }

    @Test
    void outputOfTheCommand_onATerminal_cannotControlIt() {
        report(false, true);

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("one\n\"two\" ");
    }

    @Test
    void outputOfTheCommand_withJson_isAFieldOfTheTask() {
        report(true, false);

        assertThat(out.toString(StandardCharsets.UTF_8).strip())
                .isEqualTo("{\"event\":\"task\",\"peer\":\"" + task.from().text()
                        + "\",\"exit_code\":0,\"output\":\"one\\n\\\"two\\\"\\u0007\"}");
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }
}
