package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that offer and request a service. */
@Tag("process")
@Timeout(180)
class ServiceProcessTest {

    @TempDir
    private Path directory;

    /** The command fails with code 7 if the request contains no letter, and otherwise returns it in upper case. */
    private static final String SCRIPT =
            "IFS= read -r line; case $line in *[a-z]*) printf %s \"$line\" | tr a-z A-Z;; *) echo no letters >&2; echo more >&2;"
                    + " exit 7;; esac";

    @Test
    void request_printsTheOutputOfTheCommand_orItsError() throws Exception {
        try (RendezvousFixture rendezvous = RendezvousFixture.start(directory);
                ParleyProcess serve = ParleyProcess.start(
                        directory,
                        "serve",
                        "upper",
                        "--no-multicast",
                        "--rendezvous",
                        rendezvous.address(),
                        "--address",
                        ParleyProcess.ANY_PORT,
                        "--",
                        "sh",
                        "-c",
                        SCRIPT)) {
            serve.errors().awaitContaining("Serving upper");
            try (ParleyProcess request = start(rendezvous, "request", "upper", "shout this");
                    ParleyProcess piped = start(rendezvous, "request", "upper", "-", "--json");
                    ParleyProcess failed = start(rendezvous, "request", "upper", "123");
                    ParleyProcess unknown = start(rendezvous, "request", "unknown", "--timeout", "1");
                    ParleyProcess asJson = start(rendezvous, "request", "unknown", "--timeout", "1", "--json")) {
                try (OutputStream input = piped.input()) {
                    input.write("from stdin".getBytes(StandardCharsets.UTF_8));
                }
                request.assertSuccess();
                assertThat(request.text()).isEqualTo("SHOUT THIS");
                piped.assertSuccess();
                assertThat(piped.text()).contains("\"body\":\"FROM STDIN\"");
                assertThat(failed.exitCode()).isEqualTo(7);
                assertThat(failed.errors().toString())
                        .contains("code 7: no letters")
                        .doesNotContain("more");
                assertThat(unknown.exitCode()).isEqualTo(1);
                assertThat(unknown.errors().toString()).contains("unknown", "within 1 s", "was not executed");
                assertThat(asJson.exitCode()).isEqualTo(1);
                assertThat(asJson.text())
                        .startsWith("{\"error\":\"UNREACHABLE\",\"text\":")
                        .contains("was not executed");
            }
        }
    }

    @Test
    void serve_aCommandThatDoesNotExist_isRefusedAtTheStart() throws Exception {
        for (String command : List.of("/no/such/command", "no-such-command-" + UUID.randomUUID())) {
            try (ParleyProcess serve = ParleyProcess.start(directory, "serve", "typo", "--", command)) {
                assertThat(serve.exitCode()).isEqualTo(1);
                assertThat(serve.errors().toString()).contains(command, "Check").doesNotContain("Serving");
            }
        }
    }

    private ParleyProcess start(RendezvousFixture rendezvous, String... arguments) throws IOException {
        return rendezvous.startClient(directory, arguments).readAll();
    }
}
