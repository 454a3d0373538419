package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that publish to a topic and follow it, through a rendezvous. */
@Tag("process")
@Timeout(180)
class TopicProcessTest {

    @TempDir
    private Path directory;

    private ParleyProcess start(RendezvousFixture rendezvous, String... arguments) throws IOException {
        return rendezvous.startClient(directory, arguments);
    }

    @Test
    void linesOfAPublisher_arePrintedByAllFollowers_alsoAfterOneWasKilled() throws Exception {
        try (RendezvousFixture rendezvous = RendezvousFixture.start(directory);
                ParleyProcess plain =
                        start(rendezvous, "topic", "follow", "news", "-n", "2", "--address", ParleyProcess.ANY_PORT);
                ParleyProcess killed = start(
                        rendezvous,
                        "topic",
                        "follow",
                        "news",
                        "--slow",
                        "newest",
                        "--address",
                        ParleyProcess.ANY_PORT);
                ParleyProcess publisher = start(
                        rendezvous,
                        "topic",
                        "publish",
                        "news",
                        "--wait",
                        "2",
                        "--name",
                        "alice",
                        "--json",
                        "--address",
                        ParleyProcess.ANY_PORT)) {
            ParleyProcess.Lines events = publisher.lines();
            ParleyProcess.Lines first = plain.lines();
            ParleyProcess.Lines second = killed.lines();
            publisher.type("one");
            first.await(line -> line.matches("alice \\(\\w{8}\\): one"));
            second.await(line -> line.matches("alice \\(\\w{8}\\): one"));
            killed.kill();
            events.awaitContaining("\"event\":\"closed\"");
            publisher.type("two");
            first.await(line -> line.matches("alice \\(\\w{8}\\): two"));
            plain.assertSuccess();
            publisher.input().close();
            publisher.assertSuccess();
            assertThat(publisher.errors().toString()).doesNotContain("\tat ");
        }
    }
}
