package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ParleyTest {

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final ByteArrayOutputStream remarks = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return Parley.commandLine(arguments)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    /** The line that a command has printed on the standard output. */
    private static final class StartedError extends AssertionError {
        private static final long serialVersionUID = 1L;

        StartedError(String line) {
            super("the command has started: " + line);
        }
    }

    /**
     * Runs a command that prints nothing on the standard output because it fails. Aborts one that does: a command that starts by mistake
     * would run until the timeout of the test.
     */
    private int runUntilStarted(String... arguments) {
        PrintStream results = System.out;
        PrintStream errors = System.err;
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8) {
            @Override
            public void println(@Nullable String line) {
                throw new StartedError(String.valueOf(line));
            }
        });
        System.setErr(new PrintStream(remarks, true, StandardCharsets.UTF_8));
        try {
            return run(arguments);
        } finally {
            System.setOut(results);
            System.setErr(errors);
        }
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
                        "relay",
                        "search",
                        "publish",
                        "topic",
                        "members",
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

    @Test
    void helpOfBench_listsTheCommandsOfTheOtherProgram() {
        assertThat(run("bench", "--help")).isZero();

        assertThat(out.toString()).contains("COMMAND", "  list ", "  run ", "  check ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "receive non:sense",
                "receive nonsense --no-multicast",
                "connect x:y@z",
                "connect x --rendezvous nonsense",
                "chat non@sense",
                "chat lobby --no-multicast",
                "chat --with bob --no-multicast",
                "chat lobby --with bob",
                "send pom.xml --name anna --no-multicast",
                "listen --port 65536",
                "search --no-multicast",
                "search --limit 0",
                "status --timeout -1",
                "publish",
                "ping nonsense --no-multicast",
                "ping non:sense",
                "talk x --no-multicast",
                "serve calc --concurrency 0 -- cat",
                "serve calc --no-multicast -- cat",
                "work run jobs --concurrency 0 -- cat",
                "work send jobs --attempts 0",
                "request calc --no-multicast",
                "request calc:x",
                "ping -c 0 x",
                "topic follow x --lines 0 --for 1s --no-multicast --rendezvous tcp://127.0.0.1:9",
                "topic publish x --wait -1"
            })
    void wrongValue_isOneSentence_andTheExitCodeOfWrongUsage(String line) {
        assertThat(run(line.split(" "))).isEqualTo(CommandLine.ExitCode.USAGE);

        assertIsOneSentence();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "publish does-not-exist --no-multicast --rendezvous tcp://127.0.0.1:9",
                "serve calc -- does-not-exist",
                "bench",
                "send does-not-exist"
            })
    void failure_isOneSentenceWithoutStack(String line) {
        assertThat(run(line.split(" "))).isEqualTo(CommandLine.ExitCode.SOFTWARE);

        assertIsOneSentence();
    }

    private void assertIsOneSentence() {
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(err.toString()).endsWith(".\n").doesNotContain("Exception");
    }

    private static final String OTHER = Identity.generate().peerId().text();

    static Stream<Arguments> refusedForwards() {
        String ticket = ticket(Identity.generate());
        String serve = "forward serve db 1 ";
        String connect = "forward connect ";
        String notAnId = "Not a peer id: anna. Use what \"parley id\" prints on the other machine; a name is no proof.";
        String notAService = "Not a name of a service: d;b. Use lower-case letters, digits, - and _.";
        String notAPeer =
                "--peer has a ticket or an address. Use the id or the name of the peer, or the ticket in place of SERVICE";
        String noRange = "--max-connections is 4097. Use 1 to 4096.";
        return Stream.of(
                Arguments.of(serve + "--allow anna", notAnId),
                Arguments.of(serve + "--allow " + OTHER + ",anna", notAnId),
                Arguments.of(serve + "--allow " + OTHER + " --allow anna", notAnId),
                Arguments.of(serve + "--allow " + ticket, "Not a peer id: "),
                Arguments.of(
                        serve + "--allow ,",
                        "--allow has no peer id. Use what \"parley id\" prints on the other machine"),
                Arguments.of(serve + "--ticket --max-connections 0", "--max-connections is 0. Use 1 to 4096."),
                Arguments.of(serve + "--ticket --max-connections 4097", noRange),
                Arguments.of("forward serve db 0 --ticket", "Not a TCP port: 0. Use HOST:PORT, [IPv6]:PORT or PORT."),
                Arguments.of("forward serve db host: --ticket", "Not a TCP port: host:. "),
                Arguments.of("forward serve db localhost:65536 --ticket", "Not a TCP port: localhost:65536. "),
                Arguments.of("forward serve d;b 5432 --ticket", notAService),
                Arguments.of(serve + "--allow " + OTHER + " --no-multicast", "--rendezvous"),
                Arguments.of(connect + "d;b --no-multicast", notAService),
                Arguments.of(connect + "db --no-multicast", "--rendezvous"),
                Arguments.of(connect + "non:sense", "Not a ticket: "),
                Arguments.of(connect + ticket + " --max-connections 4097", noRange),
                Arguments.of(connect + ticket + " --port 65536", "--port is 65536. Use 0 to 65535."),
                Arguments.of(connect + ticket + " --port -1", "--port is -1. Use 0 to 65535."),
                Arguments.of(connect + ticket + " --bind x:y", "--bind is x:y. Use an address of this machine."),
                Arguments.of(connect + ticket + " --bind 203.0.113.1", "Use a --bind address of this machine."),
                Arguments.of(connect + ticket + " --peer anna", "The ticket names a peer already. Omit --peer."),
                Arguments.of(connect + "db." + OTHER + ".parley --peer " + OTHER, "names a peer already. Omit --peer."),
                Arguments.of(connect + "db --timeout 1 --peer " + ticket, notAPeer),
                Arguments.of(connect + "db --timeout 1 --peer " + OTHER + "@tcp://127.0.0.1:9", notAPeer),
                Arguments.of("socks --port 65536", "--port is 65536. Use 0 to 65535."),
                Arguments.of("socks --port 0 --max-connections 4097", noRange),
                Arguments.of("socks --port 0 --no-multicast", "--rendezvous"));
    }

    @ParameterizedTest
    @MethodSource("refusedForwards")
    void forwardOrSocks_withAValueThatDoesNotFit_isRefused_andTheUserReadsWhatToDo(String line, String sentence) {
        assertThat(runUntilStarted(line.split(" ")))
                .isEqualTo(
                        line.contains("--bind 203") // the value is right, but not for this machine
                                ? CommandLine.ExitCode.SOFTWARE
                                : CommandLine.ExitCode.USAGE);

        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .contains(sentence)
                .endsWith(".")
                .doesNotContain("Exception");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TICKET", "db --peer ID", "db.ID.parley"})
    void forwardConnect_toItsOwnIdentity_isRefused(String target) {
        Path home = directory.resolve("own");
        Identity own = Identity.loadOrCreate(home);
        String line =
                target.replace("TICKET", ticket(own)).replace("ID", own.peerId().text());

        assertThat(runUntilStarted(
                        ("forward connect " + line + " --no-multicast --rendezvous tcp://127.0.0.1:9 --home " + home)
                                .split(" ")))
                .isEqualTo(CommandLine.ExitCode.SOFTWARE);
        assertThat(err.toString()).contains("belongs to this peer", "--home");
    }

    @Test
    void publish_ofAFileOrNameThatDoesNotFit_isRefusedBeforeThePeerStarts_andNamesIt() throws IOException {
        Path good = directory.resolve("good.xml");
        Path foreign = directory.resolve("foreign.xml");
        PipeId id = PipeId.ofName(GroupId.ofName("chess"), "rain");
        AdvertisementCodec codec = AdvertisementCodec.builtIn(AdvertisementLimits.DEFAULTS);
        Files.write(good, codec.encode(PipeAdvertisement.of(PipeId.random(GroupId.NET), PipeType.UNICAST, "good")));
        Files.write(foreign, codec.encode(PipeAdvertisement.of(id, PipeType.UNICAST, "rain")));

        assertRefusedPublish(
                CommandLine.ExitCode.SOFTWARE, directory + " is a directory", good.toString(), directory.toString());
        assertRefusedPublish(
                CommandLine.ExitCode.SOFTWARE,
                foreign + ": the jxta:PipeAdvertisement belongs to the group "
                        + AdvertisementId.of(GroupId.ofName("chess")) + " (expected: " + AdvertisementId.of(GroupId.NET)
                        + ")",
                good.toString(),
                foreign.toString());
        assertRefusedPublish(CommandLine.ExitCode.USAGE, "--pipe is \"\"", good.toString(), "--pipe", "");
        assertRefusedPublish(
                CommandLine.ExitCode.USAGE,
                "--pipe rain occurs twice",
                "--pipe",
                "rain",
                "--pipe",
                "snow",
                "--pipe",
                "rain");
        assertRefusedPublish(CommandLine.ExitCode.USAGE, "--group is \"\"", good.toString(), "--group", "");
        assertRefusedPublish(CommandLine.ExitCode.USAGE, "--group is \" x\"", good.toString(), "--group", " x");
    }

    private void assertRefusedPublish(int exitCode, String sentence, String... arguments) {
        err.getBuffer().setLength(0);
        List<String> line = new ArrayList<>(List.of("publish", "--no-multicast", "--rendezvous", "tcp://127.0.0.1:9"));
        line.addAll(List.of(arguments));

        assertThat(runUntilStarted(line.toArray(String[]::new))).isEqualTo(exitCode);
        assertThat(err.toString()).startsWith(sentence).endsWith(".\n");
    }

    @Test
    void forwardConnect_opensItsPort_onTheLoopbackAddress_unlessAnotherOneIsGiven() {
        String ticket = ticket(Identity.generate());

        assertThatThrownBy(() -> runUntilStarted("forward", "connect", ticket), "forward connect")
                .isInstanceOf(StartedError.class)
                .hasMessageContaining("Forwarding 127.0.0.1:");
        assertThat(remarks.toString(StandardCharsets.UTF_8)).doesNotContain("machine");
        assertThatThrownBy(() -> runUntilStarted("forward", "connect", ticket, "--bind", "0.0.0.0"))
                .isInstanceOf(StartedError.class)
                .hasMessageContaining("Forwarding 0.0.0.0:");
        assertThat(remarks.toString(StandardCharsets.UTF_8)).contains("Every machine that reaches this port can use");
    }

    private static String ticket(Identity holder) {
        return PipeId.random(GroupId.NET).text() + ":" + holder.peerId().text() + "@tcp://127.0.0.1:9";
    }

    @Test
    void failure_withVerbose_showsTheStack() {
        assertThat(run("connect", "non:sense", "--verbose")).isEqualTo(CommandLine.ExitCode.USAGE);

        assertThat(err.toString()).contains("Not a ticket", "\tat io.parley");
    }

    @Test
    void responseThatCannotBeWritten_isAFailure() {
        PrintStream results = System.out;
        PrintStream full = new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int octet) throws IOException {
                        throw new IOException("No space left on device");
                    }
                },
                false,
                StandardCharsets.UTF_8);
        PipeMessage response = new PipeMessage(Identity.generate().peerId(), Message.of("body", "text"));
        System.setOut(full);
        try {
            assertThatThrownBy(() -> RequestCommand.print(new Console(full, results, false, false), response))
                    .isInstanceOf(CommandFailedException.class);
            assertThatThrownBy(() -> RequestCommand.print(new Console(full, results, true, false), response))
                    .isInstanceOf(CommandFailedException.class);
        } finally {
            System.setOut(results);
        }
    }

    @Test
    void port_hasOneDefaultPerCommandInEveryHelp() {
        assertThat(run("rendezvous", "--help")).isZero();
        assertThat(out.toString().replaceAll("\\s+", " "))
                .contains("Default: 9701 for a rendezvous, 9702 for a relay, any free port for other commands")
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
