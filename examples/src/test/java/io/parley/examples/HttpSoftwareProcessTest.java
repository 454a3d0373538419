package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.examples.software.NginxServer;
import io.parley.examples.software.ServerCertificate;
import io.parley.examples.software.Software;
import io.parley.examples.software.TinyproxyServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Peers that listen on HTTP, behind a real reverse proxy, nginx, and reached through a real HTTP proxy, tinyproxy. */
@Tag("process")
@Tag("software")
@Timeout(300)
class HttpSoftwareProcessTest {

    static final String ANY_PORT = "http://127.0.0.1:0";

    private static final Path PAGE = Path.of("..", "docs", "guide", "http.md");

    private static final int FILE_BYTES = 3 * Software.MIB;

    @TempDir
    private static Path shared;

    private static @Nullable ServerCertificate certificate;

    @TempDir
    private Path directory;

    /** Returns the certificate of all servers, whose creation takes a JVM. */
    private static ServerCertificate certificate() throws Exception {
        ServerCertificate created = certificate;
        if (created == null) {
            created = ServerCertificate.create(shared, List.of("localhost"));
            certificate = created;
        }
        return created;
    }

    /** Starts the nginx of the user guide, on ports of this test, in front of a peer. */
    private NginxServer startNginx(String peerAddress) throws Exception {
        Matcher block = Pattern.compile("```nginx\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(PAGE));
        assertThat(block.find()).as("the configuration in %s", PAGE).isTrue();
        String servers = block.group(1);
        servers = replace(servers, "listen 443 ssl;", "${listen} ${listenTls}");
        servers = replace(servers, "server_name peer.example.org;", "server_name localhost;");
        servers = replace(servers, "ssl_certificate /etc/ssl/peer.example.org.crt;", "${certificate}");
        servers = replace(servers, "ssl_certificate_key /etc/ssl/peer.example.org.key;", "");
        servers = replace(servers, "http://127.0.0.1:8080", peerAddress);
        return NginxServer.start(directory, certificate(), servers);
    }

    private static String replace(String text, String old, String replacement) {
        assertThat(text).containsOnlyOnce(old);
        return text.replace(old, replacement);
    }

    private static String httpAddress(NginxServer nginx) {
        return "http://127.0.0.1:" + nginx.port();
    }

    private static String httpsAddress(NginxServer nginx) {
        return "https://localhost:" + nginx.tlsPort();
    }

    private ParleyProcess listen() throws IOException {
        return ParleyProcess.start(directory, "listen", "--home", "host", "--address", ANY_PORT);
    }

    private static String address(String ticket) {
        return ticket.substring(ticket.indexOf('@') + 1);
    }

    /** Both ends of a conversation send a line and end. */
    static void assertConversation(ParleyProcess listen, ParleyProcess connect) throws Exception {
        connect.type("there");
        listen.lines().awaitContaining("there");
        listen.type("back");
        connect.lines().awaitContaining("back");
        connect.input().close();
        listen.input().close();
        connect.assertSuccess();
        listen.assertSuccess();
    }

    private static void assertFailsWith(ParleyProcess process, String... sentence) throws Exception {
        assertThat(process.exitCode()).isEqualTo(1);
        assertThat(process.errors().toString().lines())
                .singleElement()
                .asString()
                .contains(sentence);
    }

    @Test
    void rendezvousBehindNginx_isReachedByHttp_andByHttps() throws Exception {
        Software.require("nginx");
        try (RendezvousFixture rendezvous = RendezvousFixture.startAt(directory, ANY_PORT, List.of());
                NginxServer nginx = startNginx(rendezvous.address());
                ParleyProcess listen = ParleyProcess.startWithRendezvous(
                        directory,
                        List.of(httpAddress(nginx)),
                        "listen",
                        "--home",
                        "host",
                        "--pipe",
                        "talk",
                        "--address",
                        ParleyProcess.ANY_PORT);
                ParleyProcess connect = ParleyProcess.startWith(
                        directory,
                        certificate().trustOptions(directory),
                        "connect",
                        "talk",
                        "--timeout",
                        "60",
                        "--no-multicast",
                        "--rendezvous",
                        httpsAddress(nginx))) {
            assertConversation(listen, connect);
        }
    }

    @Test
    void file_passesNginxByHttps_andTinyproxy() throws Exception {
        Software.require("nginx");
        byte[] content = new byte[FILE_BYTES];
        new Random(1).nextBytes(content);
        Path file = Files.write(directory.resolve("file"), content);
        try (ParleyProcess send =
                ParleyProcess.start(directory, "send", "--home", "host", "--address", ANY_PORT, file.toString())) {
            String ticket = ParleyProcess.ticket(send.lines());
            try (NginxServer nginx = startNginx(address(ticket));
                    TinyproxyServer proxy = TinyproxyServer.start(directory, nginx.tlsPort());
                    ParleyProcess receive = ParleyProcess.startWith(
                            directory,
                            Stream.concat(
                                            certificate().trustOptions(directory).stream(),
                                            proxy.jvmOptions("https").stream())
                                    .toList(),
                            "receive",
                            ParleyProcess.ticketAt(httpsAddress(nginx), ticket),
                            "--out",
                            "out")) {
                receive.assertSuccess();
                send.assertSuccess();
                assertThat(proxy.log()).contains("CONNECT localhost:" + nginx.tlsPort());
            }
        }
        assertThat(directory.resolve("out/file")).hasBinaryContent(content);
    }

    @Test
    void peer_isReachedThroughTinyproxy() throws Exception {
        Software.require("tinyproxy");
        try (ParleyProcess listen = listen()) {
            String ticket = ParleyProcess.ticket(listen.errors());
            int port = URI.create(address(ticket)).getPort();
            try (TinyproxyServer proxy = TinyproxyServer.start(directory, port);
                    ParleyProcess connect =
                            ParleyProcess.startWith(directory, proxy.jvmOptions("http"), "connect", ticket)) {
                assertConversation(listen, connect);
                assertThat(proxy.log()).contains("CONNECT 127.0.0.1:" + port);
            }
        }
    }

    @Test
    void tinyproxyThatRefusesThePort_isNamed() throws Exception {
        Software.require("tinyproxy");
        try (ParleyProcess listen = listen()) {
            String ticket = ParleyProcess.ticket(listen.errors());
            try (TinyproxyServer proxy = TinyproxyServer.start(directory, 443);
                    ParleyProcess connect =
                            ParleyProcess.startWith(directory, proxy.jvmOptions("http"), "connect", ticket)) {
                assertFailsWith(
                        connect,
                        address(ticket) + ": the HTTP proxy 127.0.0.1:" + proxy.port()
                                + " does not connect: '403 Access violation'."
                                + " Check that the proxy permits CONNECT to this port.");
            }
        }
    }

    @Test
    void nginxThatDoesNotPassWebSocketOn_orIsNotTrusted_isNamed() throws Exception {
        Software.require("nginx");
        try (ParleyProcess listen = listen()) {
            String ticket = ParleyProcess.ticket(listen.errors());
            try (NginxServer nginx = NginxServer.start(
                            directory,
                            certificate(),
                            "server { ${listen} ${listenTls} ${certificate} location / { proxy_pass " + address(ticket)
                                    + "; } }");
                    ParleyProcess withoutWebSocket = ParleyProcess.start(
                            directory, "connect", ParleyProcess.ticketAt(httpAddress(nginx), ticket));
                    ParleyProcess withoutTrust = ParleyProcess.start(
                            directory, "connect", ParleyProcess.ticketAt(httpsAddress(nginx), ticket))) {
                assertFailsWith(
                        withoutWebSocket,
                        httpAddress(nginx) + ": the response to the request for a WebSocket is '426 Upgrade Required'."
                                + " Check that a peer listens there with http://, and that proxies on the way pass WebSocket"
                                + " on.");
                assertFailsWith(
                        withoutTrust, httpsAddress(nginx) + ": TLS of the host: ", "Check the certificate of the host");
            }
        }
    }
}
