package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes with a shell. */
@Tag("process")
@Timeout(180)
class ShellProcessTest {

    @TempDir
    private Path directory;

    @Test
    void shell_executesCommandsFromAProgram_andIsReachedByItsName() throws Exception {
        try (RendezvousFixture rendezvous = RendezvousFixture.start(directory);
                ParleyProcess anna = startListening(rendezvous, "shell", "--name", "anna");
                ParleyProcess ben = startListening(rendezvous, "shell", "--name", "ben")) {
            ParleyProcess.Lines annas = anna.lines();
            ParleyProcess.Lines bens = ben.lines();
            anna.type("join \"tea time\"");
            anna.type("publish --pipe kettle");
            annas.awaitContaining("Indexed by a rendezvous: pipe kettle");
            ben.type("join \"tea time\"");
            ben.type("publish --pipe cup");
            bens.awaitContaining("Indexed by a rendezvous: pipe cup");
            search(ben, bens, "pipes ket*", line -> line.startsWith("pipe kettle  "));
            ben.type("talk kettle \"two  cups\"");
            annas.await(line -> line.matches("kettle <- ben \\(\\w{8}\\): two  cups"));
            String found = search(ben, bens, "peers anna", line -> line.startsWith("peer anna  "));
            ben.type("talk " + found.split(" +")[2]);
            ben.type("are you there?");
            annas.await(line -> line.matches("ben \\(\\w{8}\\): are you there\\?"));
            ben.type("/end");
            ben.type("talk anna \"by your name\"");
            annas.await(line -> line.matches("ben \\(\\w{8}\\): by your name"));
            ben.type("leave");
            bens.awaitContaining("Left the group tea time.");
            ben.type("no-such-command");
            ben.type("exit");

            assertThat(ben.exitCode()).as("exit code after a failed command").isEqualTo(1);
            assertThat(ben.errors().toString())
                    .contains("\"help\" lists the commands")
                    .doesNotContain("\tat ");

            try (ParleyProcess ping = rendezvous
                            .startClient(directory, "ping", "-c", "2", "-i", "0", "anna")
                            .readAll();
                    ParleyProcess talk = startListening(rendezvous, "talk", "--name", "carl", "anna", "good", "day")) {
                ping.assertSuccess();
                assertThat(ping.text()).contains("anna: number=2 time=", "2 sent, 2 received");
                talk.assertSuccess();
                annas.await(line -> line.matches("carl \\(\\w{8}\\): good day"));
            }
            anna.input().close();
            anna.assertSuccess();
        }
    }

    /** Searches until there is a result, because one search takes only the time that a rendezvous usually needs. */
    private static String search(ParleyProcess shell, ParleyProcess.Lines lines, String what, Predicate<String> wanted)
            throws Exception {
        long before = lines.toString().lines().filter("No results."::equals).count();
        for (long tries = 1; lines.toString().lines().noneMatch(wanted); tries++) {
            long ends = before + tries;
            shell.type("search " + what);
            lines.awaitAll(all -> all.stream().anyMatch(wanted)
                    || all.stream().filter("No results."::equals).count() >= ends);
        }
        return lines.await(wanted);
    }

    private ParleyProcess startListening(RendezvousFixture rendezvous, String... arguments) throws IOException {
        return rendezvous.startClient(
                directory,
                Stream.concat(Stream.of(arguments), Stream.of("--address", ParleyProcess.ANY_PORT))
                        .toArray(String[]::new));
    }

    @Test
    void shell_isInterrupted_doesNotExecuteTheRestOfItsInput() throws Exception {
        try (ParleyProcess shell = ParleyProcess.startWithRendezvous(
                directory, List.of(ParleyProcess.freeAddress()), "shell", "--address", ParleyProcess.ANY_PORT)) {
            shell.type("first");
            shell.type("talk nobody hello");
            for (int i = 0; i < 100; i++) {
                shell.type("next");
            }
            shell.errors().awaitContaining("Unknown command first");
            shell.interrupt();

            assertThat(shell.exitCode()).as("that of a signal").isGreaterThan(128);
            assertThat(shell.errors().toString()).doesNotContain("closed", "Unknown command next");
        }
    }

    @Test
    void shell_onATerminal_storesItsHistoryOnlyInTheHome() throws Exception {
        assertThat(typedIntoShell("--home", "home")).contains("Joined the group tea.");
        assertThat(Files.readString(directory.resolve("home/shell-history"))).contains("join tea", "leave");

        assertThat(typedIntoShell()).contains("Joined the group tea.");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).containsExactly(directory.resolve("home"));
        }
    }

    @Test
    void shell_readsAScript_andItsErrorsAreOnATerminal_failsIfACommandHas() throws Exception {
        try (ParleyProcess shell = ParleyProcess.startWith(
                        directory, List.of("-Dparley.terminal=true"), "shell", "--address", ParleyProcess.ANY_PORT)
                .readAll()) {
            shell.type("no-such-command");
            shell.input().close();

            assertThat(shell.exitCode()).isEqualTo(1);
        }
    }

    /** Returns the output of a shell on a terminal for two commands. The terminal cannot move its cursor. */
    private String typedIntoShell(String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of("shell", "--address", ParleyProcess.ANY_PORT));
        words.addAll(List.of(options));
        try (ParleyProcess shell = ParleyProcess.startWith(
                        directory,
                        List.of(
                                "-Dparley.terminal=true",
                                "-Dparley.terminal.input=true",
                                "-Dorg.jline.terminal.provider=dumb"),
                        words.toArray(String[]::new))
                .readAll()) {
            shell.type("join tea");
            shell.type("leave");
            shell.type("exit");
            shell.assertSuccess();
            return shell.text();
        }
    }
}
