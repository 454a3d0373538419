package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ParleyTest {

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        return Parley.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    static Stream<String> commands() {
        return Parley.commandLine().getSubcommands().entrySet().stream()
                .filter(command -> !command.getKey().equals("bench")) // its options are those of another program
                .filter(command ->
                        !command.getValue().getCommandSpec().usageMessage().hidden())
                .flatMap(command -> command.getValue().getSubcommands().isEmpty()
                        ? Stream.of(command.getKey())
                        : command.getValue().getSubcommands().keySet().stream()
                                .map(inner -> command.getKey() + " " + inner));
    }

    @Test
    void help_namesEveryCommand() {
        assertThat(run("--help")).isZero();

        assertThat(out.toString())
                .contains("demo", "id", "listen", "connect", "chat", "send", "receive", "ping")
                .contains(
                        "rendezvous",
                        "search",
                        "publish",
                        "topic",
                        "talk",
                        "status",
                        "shell",
                        "bench",
                        "forward",
                        "socks")
                .doesNotContain("warm-up", "demo-role", "demo-meet");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void helpOfCommand_describesItAndItsOptions(String command) {
        assertThat(run((command + " --help").split(" "))).isZero();

        assertThat(out.toString()).contains("Usage: parley " + command, "--json", "--verbose");
    }

    @Test
    void version_isThatOfTheBuild() {
        assertThat(run("--version")).isZero();

        assertThat(out.toString()).matches("(?s)parley \\d.*Java \\d.*");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no-such-command",
                "id --no-such-option",
                "receive",
                "connect",
                "send",
                "ping",
                "serve calc",
                "request",
                "listen --port x",
                "publish --for 3x",
                "search a b c",
                "forward",
                "forward serve db 5432",
                "forward serve db 5432 --ticket --allow x",
                "forward serve db --ticket",
                "forward connect",
                "socks --port x"
            })
    void wrongUsage_isTwoLinesAndAnExitCodeOfItsOwn(String line) {
        assertThat(run(line.isEmpty() ? new String[0] : line.split(" "))).isEqualTo(CommandLine.ExitCode.USAGE);

        assertThat(out.toString()).isEmpty();
        assertThat(err.toString().lines()).hasSize(2).last().asString().contains("--help");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "receive non:sense",
                "receive nonsense --no-multicast",
                "connect x:y@z",
                "chat non@sense",
                "chat lobby --no-multicast",
                "chat --with bob --no-multicast",
                "chat lobby --with bob",
                "send pom.xml --name anna --no-multicast",
                "search --no-multicast",
                "search --limit 0",
                "status --timeout -1",
                "publish",
                "publish does-not-exist --no-multicast --rendezvous tcp://127.0.0.1:9",
                "ping nonsense --no-multicast",
                "ping non:sense",
                "talk x --no-multicast",
                "serve calc --concurrency 0 -- cat",
                "serve calc --no-multicast -- cat",
                "request calc --no-multicast",
                "request calc:x",
                "bench",
                "send does-not-exist",
                "forward serve db 0 --ticket",
                "forward serve db host: --ticket",
                "forward serve db 5432 --allow anna",
                "forward serve db 5432 --ticket --max-connections 0",
                "forward serve db 5432 --ticket --max-connections 4097",
                "forward serve d;b 5432 --ticket",
                "forward serve db localhost:65536 --ticket",
                "forward connect db --no-multicast",
                "forward connect d;b --no-multicast",
                "forward connect db --port 65536",
                "forward connect db --bind x:y",
                "forward connect non:sense",
                "socks --port 0 --no-multicast",
                "ping -c 0 x"
            })
    void failure_isOneSentenceWithoutStack(String line) {
        assertThat(run(line.split(" "))).isEqualTo(CommandLine.ExitCode.SOFTWARE);

        assertThat(err.toString().lines()).hasSize(1);
        assertThat(err.toString()).endsWith(".\n").doesNotContain("Exception");
    }

    @Test
    void forwardConnect_withATicketAndAPeer_isRefused() {
        assertThat(run("forward", "connect", ticket(Identity.generate()), "--peer", "anna"))
                .isEqualTo(CommandLine.ExitCode.SOFTWARE);
        assertThat(err.toString()).contains("names a peer already").contains("Omit --peer");
    }

    @Test
    void forwardConnect_withATicketOfItsOwnIdentity_isRefused() {
        Path home = directory.resolve("own");
        assertThat(run("forward", "connect", ticket(Identity.loadOrCreate(home)), "--home", home.toString()))
                .isEqualTo(CommandLine.ExitCode.SOFTWARE);
        assertThat(err.toString()).contains("belongs to this peer").contains("--home");
    }

    private static String ticket(Identity holder) {
        return PipeId.random(GroupId.NET).text() + ":" + holder.peerId().text() + "@tcp://127.0.0.1:9";
    }

    @Test
    void failure_withVerbose_showsTheStack() {
        assertThat(run("connect", "non:sense", "--verbose")).isEqualTo(CommandLine.ExitCode.SOFTWARE);

        assertThat(err.toString()).contains("Not a ticket", "\tat io.parley");
    }

    @Test
    void port_hasOneDefaultPerCommandInEveryHelp() {
        assertThat(run("rendezvous", "--help")).isZero();
        assertThat(out.toString().replaceAll("\\s+", " "))
                .contains("Default: 9701 for a rendezvous, any free port for other commands")
                .containsOnlyOnce("9701 for");
    }

    @Test
    void defaultName_containsTheBeginningOfThePeerId() {
        PeerId peer = Identity.generate().peerId();

        assertThat(PeerDefaults.nameOrDefault(null, peer))
                .isEqualTo(System.getProperty("user.name") + "-" + peer.text().substring(0, 4));
        assertThat(PeerDefaults.nameOrDefault("anna", peer)).isEqualTo("anna");
    }

    @Test
    void portAndAddress_excludeEachOther() {
        assertThat(run("listen", "--port", "1", "--address", "tcp://127.0.0.1:0"))
                .isEqualTo(CommandLine.ExitCode.USAGE);
    }

    @Test
    void id_isMadeOnceAndShownAgain() throws Exception {
        String home = directory.resolve("home").toString();
        try (ParleyProcess first =
                ParleyProcess.start(directory, "id", "--home", home, "--json").readAll()) {
            first.assertSuccess();
            try (ParleyProcess second =
                    ParleyProcess.start(directory, "id", "--home", home).readAll()) {
                second.assertSuccess();
                String peer = new String(second.output()).strip();
                assertThat(peer).hasSize(56);
                assertThat(new String(first.output()))
                        .contains("\"peer\":\"" + peer + "\"", "\"urn\":\"urn:parley:peer:", "\"created\":true");
            }
        }
    }
}
