package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.identity.Identity;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** curl, which knows nothing of Parley, through the SOCKS proxy to an HTTP server, which knows nothing of Parley. */
@Tag("process")
@Timeout(180)
class SocksProcessTest {

    /** The exit code of curl if the proxy has refused a connection. */
    private static final int CURL_PROXY = 97;

    @TempDir
    private Path directory;

    /** The exit code and the output of curl. */
    private record Curl(int exitCode, String output) {}

    static boolean hasCurl() {
        try {
            Process process = new ProcessBuilder("curl", "--version").start();
            process.getInputStream().readAllBytes();
            return process.waitFor() == 0;
        } catch (IOException | InterruptedException e) {
            return false;
        }
    }

    private Curl curl(int port, String... arguments) throws Exception {
        List<String> line =
                new ArrayList<>(List.of("curl", "-sS", "--max-time", "60", "--socks5-hostname", "127.0.0.1:" + port));
        line.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(line).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment()
                .keySet()
                .removeIf(name -> name.toLowerCase(java.util.Locale.ROOT).endsWith("_proxy"));
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Curl(process.exitValue(), output);
    }

    @Test
    @EnabledIf("hasCurl")
    void curl_reachesServices_byHostName_andNothingElse() throws Exception {
        byte[] content = new byte[2_000_001];
        new Random(Long.getLong("parley.test.seed", 5)).nextBytes(content);
        Files.write(directory.resolve("content"), content);
        String guest =
                Identity.loadOrCreate(directory.resolve("guest")).peerId().text();
        try (PlainServer http = PlainServer.start();
                RendezvousFixture rendezvous = RendezvousFixture.start(directory);
                ParleyProcess serve = rendezvous.startClient(
                        directory,
                        "forward",
                        "serve",
                        "wiki",
                        Integer.toString(http.port()),
                        "--allow",
                        guest,
                        "--address",
                        ParleyProcess.ANY_PORT,
                        "--json");
                ParleyProcess socks = rendezvous.startClient(
                        directory, "socks", "--port", "0", "--home", "guest", "--timeout", "60", "--json")) {
            String host = ParleyProcess.field(ForwardProcessTest.ready(serve), "host");
            int port = ForwardProcessTest.port(ForwardProcessTest.ready(socks));
            ForwardProcessTest.assertLoopbackOnly(port);

            assertThat(curl(port, "http://wiki.parley/")).isEqualTo(new Curl(0, "hello"));
            assertThat(curl(port, "http://" + host + ":8080/a")).isEqualTo(new Curl(0, "hello"));
            assertThat(curl(port, "--data-binary", "@content", "-o", "copy", "http://" + host + "/"))
                    .isEqualTo(new Curl(0, ""));
            assertThat(Files.readAllBytes(directory.resolve("copy"))).isEqualTo(content);

            try (Socket malformed = new Socket("127.0.0.1", port)) {
                malformed.getOutputStream().write(new byte[] {4, 1, 0, 80});
                assertThat(malformed.getInputStream().read()).isEqualTo(-1);
            }
            socks.errors().awaitContaining("Not a SOCKS5 client: version 4");
            assertThat(curl(port, "http://example.org/").exitCode()).isEqualTo(CURL_PROXY);
            socks.errors().awaitContaining("Refused a connection to example.org");
            assertThat(curl(port, "http://127.0.0.1:" + http.port() + "/").exitCode())
                    .isEqualTo(CURL_PROXY);
            assertThat(curl(port, "http://other." + host.substring(host.indexOf('.') + 1) + "/")
                            .exitCode())
                    .isEqualTo(CURL_PROXY);
            socks.errors().awaitContaining("Connection refused: socket service \"other\"");

            assertThat(curl(port, "http://wiki.parley/")).isEqualTo(new Curl(0, "hello"));
        }
    }
}
