package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that find each other by name. */
@Tag("process")
@Timeout(180)
class NameProcessTest {

    @TempDir
    private static Path shared;

    private static RendezvousFixture rendezvous;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startRendezvous() throws Exception {
        rendezvous = RendezvousFixture.start(shared);
    }

    @AfterAll
    static void stopRendezvous() {
        rendezvous.close();
    }

    private ParleyProcess start(String... arguments) throws IOException {
        return rendezvous.startClient(directory, arguments);
    }

    @Test
    void senderOfAPipe_findsTheHolderThatWasKilledAndCameBackElsewhere() throws Exception {
        String[] holder = {"publish", "--pipe", "weather", "--home", "holder", "--address", ParleyProcess.ANY_PORT};
        try (ParleyProcess sender = start("shell", "--name", "sender", "--address", ParleyProcess.ANY_PORT)) {
            try (ParleyProcess before = start(holder)) {
                ParleyProcess.Lines received = before.lines();
                received.awaitContaining("Indexed by a rendezvous: pipe weather");
                sender.type("talk weather");
                sender.type("before");
                received.await(line -> line.matches("weather <- sender \\(\\w{8}\\): before"));
                before.kill();
            }
            try (ParleyProcess after = start(holder)) {
                ParleyProcess.Lines received = after.lines();
                received.awaitContaining("Indexed by a rendezvous: pipe weather");
                sender.type("after");
                received.await(line -> line.matches("weather <- sender \\(\\w{8}\\): after"));
            }
        }
    }

    @Test
    void search_findsPublicationsOfOthers() throws Exception {
        Files.writeString(directory.resolve("class.xml"), """
                <?xml version="1.0"?>
                <!DOCTYPE jxta:MCA>
                <jxta:MCA xmlns:jxta="http://jxta.org">
                  <MCID>urn:jxta:uuid-0123456789ABCDEF0123456789ABCDEF05</MCID>
                  <Name>forecasts</Name>
                  <Desc>What the weather will be</Desc>
                </jxta:MCA>
                """);
        try (ParleyProcess publisher =
                start("publish", "class.xml", "--pipe", "rain", "--group", "weather", "--json")) {
            ParleyProcess.Lines published = publisher.lines();
            String pipe = ParleyProcess.field(
                    published.await(line -> line.contains("\"indexed\"") && line.contains("\"rain\"")), "id");
            published.await(line -> line.contains("\"indexed\"") && line.contains("\"forecasts\""));

            try (ParleyProcess pipes = search("pipes", "ra*", "--group", "weather", "--limit", "1");
                    ParleyProcess classes = search("jxta:MCA", "forecasts", "--group", "weather");
                    ParleyProcess elsewhere =
                            start("search", "pipes", "rain", "--json").readAll()) {
                pipes.assertSuccess();
                assertThat(pipes.text()).contains("\"kind\":\"pipe\",\"name\":\"rain\",\"id\":\"" + pipe + "\"");
                classes.assertSuccess();
                assertThat(classes.text()).contains("\"name\":\"forecasts\"");
                assertThat(elsewhere.exitCode()).isEqualTo(1);
                assertThat(elsewhere.output()).isEmpty();
            }
            // Repeated, because the group is indexed in another group than the pipe and the document.
            await().atMost(ParleyProcess.TIMEOUT).until(() -> {
                try (ParleyProcess groups = search("groups")) {
                    return groups.exitCode() == 0 && groups.text().contains("\"name\":\"weather\"");
                }
            });
        }
    }

    private ParleyProcess search(String... what) throws IOException {
        return start(Stream.concat(Stream.of("search", "--json", "--timeout", "60"), Stream.of(what))
                        .toArray(String[]::new))
                .readAll();
    }

    @Test
    void filesBytesAndRooms_areReachedByTheNameOfAPipeOrPeer() throws Exception {
        byte[] content = new byte[300_001];
        new Random(Long.getLong("parley.test.seed", 7)).nextBytes(content);
        Files.write(directory.resolve("photo.bin"), content);
        // All at the same time, so that three peers have the name and only one serves each command.
        try (ParleyProcess sender = startListening("send", "photo.bin", "--as", "photos", "--name", "anna", "--keep");
                ParleyProcess listen = startListening("listen", "--name", "anna");
                ParleyProcess chat = startListening("chat", "lobby", "--name", "anna")) {
            ParleyProcess.Lines received = listen.lines();
            ParleyProcess.Lines anna = chat.lines();
            try (ParleyProcess byPipe = start("receive", "photos", "--out", "byPipe", "--timeout", "60");
                    ParleyProcess byPeer = start("receive", "anna", "--out", "byPeer", "--timeout", "60");
                    ParleyProcess connect = start("connect", "anna", "--timeout", "60");
                    ParleyProcess other = startListening("chat", "--with", "anna", "--name", "bob")) {
                byPipe.assertSuccess();
                byPeer.assertSuccess();
                assertThat(Files.readAllBytes(directory.resolve("byPipe/photo.bin")))
                        .isEqualTo(content);
                assertThat(Files.readAllBytes(directory.resolve("byPeer/photo.bin")))
                        .isEqualTo(content);
                assertThat(sender.isAlive()).isTrue();

                connect.type("question");
                received.awaitContaining("question");

                ParleyProcess.Lines bob = other.lines();
                other.errors().await("You are in the room lobby as bob. /quit leaves it."::equals);
                bob.await(line -> line.startsWith("* anna is here ("));
                anna.await(line -> line.startsWith("* bob is here ("));
                other.type("found you");
                anna.await("bob: found you"::equals);
            }
        }
    }

    private ParleyProcess startListening(String... arguments) throws IOException {
        return start(Stream.concat(Stream.of(arguments), Stream.of("--address", ParleyProcess.ANY_PORT))
                .toArray(String[]::new));
    }

    @Test
    void netcat_byTheNameOfAPipe_copiesWhileBothInputsAreOpen() throws Exception {
        try (ParleyProcess listen = startListening("listen", "--pipe", "cat");
                ParleyProcess connect = start("connect", "cat", "--timeout", "60")) {
            ParleyProcess.Lines received = listen.lines();
            ParleyProcess.Lines response = connect.lines();
            connect.type("question");
            received.awaitContaining("question");
            listen.type("response");
            response.awaitContaining("response");
            listen.input().close();
            connect.type("late");
            received.awaitContaining("late");
            connect.input().close();

            connect.assertSuccess();
            listen.assertSuccess();
        }
    }

    @Test
    void status_showsThePeerItsRendezvousAndOthers() throws Exception {
        try (ParleyProcess status =
                start("status", "--name", "me", "--json", "--timeout", "60").readAll()) {
            status.assertSuccess();
            assertThat(status.text().lines())
                    .last()
                    .asString()
                    .contains("\"name\":\"me\"", "\"rendezvous\":\"" + rendezvous.peer() + "\"", "\"connected\":1")
                    .containsPattern("\"found\":[1-9]\\d*,\"peers\":[1-9]");
        }
    }

    @Test
    void rendezvousThatDoesNotRun_isReportedInOneSentence() throws Exception {
        List<String> gone = List.of(ParleyProcess.freeAddress());
        try (ParleyProcess search = ParleyProcess.startWithRendezvous(directory, gone, "search", "--timeout", "1");
                ParleyProcess status = ParleyProcess.startWithRendezvous(directory, gone, "status", "--timeout", "5")
                        .readAll();
                ParleyProcess receive =
                        ParleyProcess.startWithRendezvous(directory, gone, "receive", "photos", "--timeout", "1")) {
            assertThat(search.exitCode()).isEqualTo(1);
            // The library may log its warning as well, which has the cause.
            assertThat(search.errors().toString().lines())
                    .hasSizeBetween(1, 2)
                    .anyMatch(line -> line.startsWith("No rendezvous has responded"));
            assertThat(status.exitCode()).as("exit code without a rendezvous").isEqualTo(1);
            assertThat(status.text()).containsPattern("Rendezvous   none; last failure: .*connection refused");
            assertThat(receive.exitCode()).isEqualTo(1);
            assertThat(receive.errors().toString())
                    .contains("No pipe or peer with the name photos", "no rendezvous either");
        }
    }
}
