package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.parley.Peer;
import io.parley.identity.Identity;
import io.parley.pipes.PipeTicket;
import io.parley.sockets.PeerSockets;
import io.parley.sockets.ServiceHost;
import io.parley.transport.PeerAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that forward TCP connections. */
@Tag("process")
@Timeout(180)
class ForwardProcessTest {

    private static final int MAX_CONNECTIONS = 2;

    /** The time for which both kinds of clients try again when the serving peer is full. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(8);

    @TempDir
    private Path directory;

    private static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed + Long.getLong("parley.test.seed", 0)).nextBytes(bytes);
        return bytes;
    }

    /** Waits for the line that a command prints when it is ready. */
    static String ready(ParleyProcess process) throws InterruptedException {
        return process.lines().awaitContaining("\"event\":\"ready\"");
    }

    static int port(String ready) {
        Matcher matcher = Pattern.compile("\"port\":(\\d+)").matcher(ready);
        assertThat(matcher.find()).as(ready).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout((int) ParleyProcess.TIMEOUT.toMillis());
        return socket;
    }

    @Test
    void allowedPeer_reachesThePort_byNameOfTheService_andNoOtherPeerDoes() throws Exception {
        String allowed = Stream.of("guest", "second")
                .map(home ->
                        Identity.loadOrCreate(directory.resolve(home)).peerId().text())
                .collect(Collectors.joining(","));
        try (ServerSocket plain = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                RendezvousFixture rendezvous = RendezvousFixture.start(directory);
                ParleyProcess serve = rendezvous.startClient(
                        directory,
                        "forward",
                        "serve",
                        "plain",
                        Integer.toString(plain.getLocalPort()),
                        "--allow",
                        allowed,
                        "--name",
                        "holder",
                        "--max-connections",
                        Integer.toString(MAX_CONNECTIONS),
                        "--address",
                        ParleyProcess.ANY_PORT,
                        "--json")) {
            plain.setSoTimeout((int) ParleyProcess.TIMEOUT.toMillis());
            String host = ParleyProcess.field(ready(serve), "host");
            try (ParleyProcess connect = rendezvous.startClient(
                            directory,
                            "forward",
                            "connect",
                            "plain",
                            "--peer",
                            "holder",
                            "--home",
                            "guest",
                            "--timeout",
                            Long.toString(CONNECT_TIMEOUT.toSeconds()),
                            "--json");
                    ParleyProcess other = rendezvous.startClient(directory, "forward", "connect", host, "--json")) {
                int port = port(ready(connect));
                assertLoopbackOnly(port);
                awaitReached(port, plain);
                checkHalfClose(port, plain);
                checkReset(port, plain);
                checkMaxConnections(port, plain, rendezvous.address(), ServiceHost.parse(host));
                connect.errors().awaitContaining("limit reached");

                CompletableFuture<Socket> greeted = CompletableFuture.supplyAsync(() -> acceptAndGreet(plain));
                try (Socket refused = connect(port(ready(other)))) {
                    InputStream in = refused.getInputStream();
                    assertThatThrownBy(in::read, "read of a peer that is not allowed")
                            .isInstanceOf(SocketException.class);
                }
                assertThat(greeted).isNotDone();
                other.errors().awaitContaining("socket service \"plain\" does not allow this peer");
                serve.errors().awaitContaining("Refused connect of peer ");
            }
        }
    }

    /** The port is open at 127.0.0.1 and not at all addresses of this machine, of which 127.0.0.2 is one. */
    static void assertLoopbackOnly(int port) {
        assertThatThrownBy(() -> new Socket("127.0.0.2", port).close()).isInstanceOf(ConnectException.class);
    }

    /** Connects until the server is reached: the first connections include the search, whose time may be over on a loaded machine. */
    private static void awaitReached(int port, ServerSocket plain) throws Exception {
        CompletableFuture<Socket> greeted = CompletableFuture.supplyAsync(() -> acceptAndGreet(plain));
        await().atMost(ParleyProcess.TIMEOUT).until(() -> {
            try (Socket client = connect(port)) {
                return client.getInputStream().read() == 1;
            } catch (SocketException e) {
                return false;
            }
        });
        greeted.join().close();
    }

    /** The server reads to the end of the client before it responds. */
    private static void checkHalfClose(int port, ServerSocket plain) throws Exception {
        byte[] request = bytes(3_000_001, 1);
        byte[] response = bytes(2_000_003, 2);
        try (Socket client = connect(port);
                Socket server = plain.accept()) {
            CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> {
                try {
                    client.getOutputStream().write(request);
                    client.shutdownOutput();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            assertThat(server.getInputStream().readAllBytes()).isEqualTo(request);
            sent.join();
            CompletableFuture<Void> responded = CompletableFuture.runAsync(() -> {
                try (OutputStream out = server.getOutputStream()) {
                    out.write(response);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            assertThat(client.getInputStream().readAllBytes()).isEqualTo(response);
            responded.join();
        }
    }

    private static void checkReset(int port, ServerSocket plain) throws Exception {
        try (Socket client = connect(port);
                Socket server = plain.accept()) {
            client.setSoLinger(true, 0);
            client.close();
            InputStream in = server.getInputStream();
            assertThatThrownBy(in::read).isInstanceOf(SocketException.class).hasMessageContaining("reset");
        }
    }

    private static Socket acceptAndGreet(ServerSocket plain) {
        try {
            Socket socket = plain.accept();
            socket.getOutputStream().write(1);
            return socket;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Opens connections until the serving peer refuses one, also of another peer. */
    private void checkMaxConnections(int port, ServerSocket plain, String rendezvous, ServiceHost host)
            throws Exception {
        List<Socket> open = new ArrayList<>();
        try (Peer second = Peer.builder()
                .home(directory.resolve("second"))
                .multicast(false)
                .rendezvous(rendezvous)
                .start()) {
            // It has reached the serving peer before, so that its time is not that of a search.
            try (Socket client = PeerSockets.of(second).connect(host, ParleyProcess.TIMEOUT);
                    Socket server = acceptAndGreet(plain)) {
                assertThat(client.getInputStream().read()).isEqualTo(1);
                assertThat(server.isConnected()).isTrue();
            }
            for (int i = 0; i < MAX_CONNECTIONS; i++) {
                Socket client = connect(port);
                open.add(client);
                open.add(acceptAndGreet(plain));
                assertThat(client.getInputStream().read()).isEqualTo(1);
            }
            try (Socket refused = connect(port)) {
                // Both try again until their timeouts.
                assertThatThrownBy(
                                () -> PeerSockets.of(second).connect(host, CONNECT_TIMEOUT),
                                "connect beyond --max-connections")
                        .isInstanceOf(ConnectException.class)
                        .hasMessageContaining("limit reached (expected: <= 2, <= 2 of one peer)");
                InputStream in = refused.getInputStream();
                assertThatThrownBy(in::read).isInstanceOf(SocketException.class);
            }
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    /** Without the ticket, a peer that knows the service, the peer and its address does not get in. */
    private static void assertNameIsNotSufficient(PeerAddress holder) {
        try (Peer guest = Peer.builder().multicast(false).start()) {
            guest.endpoint().addPeerAddress(holder);
            assertThatThrownBy(() -> PeerSockets.of(guest).connect(holder.peer(), "web", ParleyProcess.TIMEOUT))
                    .isInstanceOf(ConnectException.class);
        }
    }

    @Test
    void secondTicketOfTheSameHome_failsWithTheRemedy() throws Exception {
        String[] line = {"forward", "serve", "web", "80", "--ticket", "--address", ParleyProcess.ANY_PORT};
        List<String> user = List.of("-Duser.home=" + directory); // whose default home both use
        try (ParleyProcess first = ParleyProcess.startWith(directory, user, line)) {
            ParleyProcess.ticket(first.lines());
            try (ParleyProcess second = ParleyProcess.startWith(directory, user, line)) {
                assertThat(second.exitCode()).isEqualTo(1);
                second.errors().awaitContaining("in use by another running peer");
                second.errors().awaitContaining("use --home DIR");
            }
        }
    }

    @Test
    void holderOfTheTicket_reachesAnHttpServer() throws Exception {
        try (PlainServer http = PlainServer.start();
                ParleyProcess serve = ParleyProcess.start(
                        directory,
                        "forward",
                        "serve",
                        "web",
                        "127.0.0.1:" + http.port(),
                        "--ticket",
                        "--home",
                        "host",
                        "--address",
                        ParleyProcess.ANY_PORT)) {
            String ticket = ParleyProcess.ticket(serve.lines());
            assertNameIsNotSufficient(PipeTicket.parse(ticket).holder());
            try (ParleyProcess connect = ParleyProcess.start(directory, "forward", "connect", ticket, "--json")) {
                URI address = URI.create("http://127.0.0.1:" + port(ready(connect)) + "/");
                HttpClient client = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .build();
                byte[] body = bytes(1_000_000, 3);
                List<CompletableFuture<HttpResponse<byte[]>>> responses = IntStream.range(0, 20)
                        .mapToObj(i -> client.sendAsync(
                                HttpRequest.newBuilder(address)
                                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                                        .build(),
                                HttpResponse.BodyHandlers.ofByteArray()))
                        .toList();
                for (CompletableFuture<HttpResponse<byte[]>> response : responses) {
                    assertThat(response.join().body()).isEqualTo(body);
                }
                assertThat(client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
                                .body())
                        .isEqualTo("hello");
            }
        }
    }
}
