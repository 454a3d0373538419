package io.parley.sockets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import io.parley.pipes.Pipes;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How sockets are opened and addressed: by name, peer, ticket, advertisement and host text; by factories; as channels. */
class PeerSocketsTest {

    private static final Duration SOON = SocketPeers.SOON;

    private final SocketPeers peers = SocketPeers.inMemory();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        peers.close();
        threads.shutdownNow();
    }

    private interface Connector {
        Socket connect() throws Exception;
    }

    /** Connects, and checks that bytes pass in both directions. */
    private void checkEcho(PeerServerSocket server, Connector connector) throws Exception {
        Future<String> served = threads.submit(() -> {
            try (PeerSocket accepted = server.accept()) {
                assertThat(accepted.remotePeer()).isEqualTo(peers.bob.id());
                accepted.getInputStream().transferTo(accepted.getOutputStream());
                return accepted.service();
            }
        });
        try (Socket socket = connector.connect()) {
            socket.getOutputStream().write("Will it rain?".getBytes(UTF_8));
            socket.shutdownOutput();
            assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
                    .isEqualTo("Will it rain?");
        }
        assertThat(served.get(20, TimeUnit.SECONDS)).isEqualTo("echo");
    }

    @Test
    void connect_byEachKindOfAddress() throws Exception {
        try (PeerServerSocket server = peers.ofAlice().listen("echo")) {
            PeerSockets bob = peers.ofBob();
            checkEcho(server, () -> bob.connect("echo", SOON));
            checkEcho(server, () -> bob.connect(peers.alice.id(), "echo", SOON));
            checkEcho(server, () -> bob.connect(server.ticket(), "echo", SOON));
            checkEcho(server, () -> bob.connect(server.host(), SOON));
            checkEcho(server, () -> {
                Socket socket = bob.socketFactory().createSocket();
                socket.connect(InetSocketAddress.createUnresolved(server.host().toString(), 7));
                return socket;
            });
            checkEcho(server, () -> {
                Socket socket = bob.socketFactory().createSocket();
                socket.connect(server.getLocalSocketAddress());
                return socket;
            });
            checkEcho(server, () -> bob.socketFactory().createSocket("ECHO.parley.", 7));
            checkEcho(server, () -> bob.socketFactory().createSocket(server.getInetAddress(), 7));
            checkEcho(
                    server,
                    () -> bob.connect(peers.alice.id(), "echo", SOON)
                            .byteChannel()
                            .socket());
        }
    }

    @Test
    void secureSockets_connect_andPlainOnesDoNot() throws Exception {
        try (PeerServerSocket server = peers.ofAlice().secure().listen("echo")) {
            checkEcho(server, () -> peers.ofBob().secure().connect(peers.alice.id(), "echo", SOON));
            assertThatThrownBy(() -> peers.ofBob().connect(peers.alice.id(), "echo", SOON))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("secure");
        }
    }

    @Test
    void addresses_areNeverZero_andNameTheService() throws Exception {
        try (PeerServerSocket server = peers.ofAlice().listen("echo");
                PeerSocket socket = peers.ofBob().connect("echo", SOON);
                PeerSocket accepted = server.accept()) {
            for (Socket each : new Socket[] {socket, accepted}) {
                assertThat(each.getPort()).isPositive();
                assertThat(each.getLocalPort()).isPositive();
                assertThat(each.getInetAddress().isAnyLocalAddress()).isFalse();
                assertThat(each.getLocalAddress().isAnyLocalAddress()).isFalse();
            }
            assertThat(socket.getInetAddress().getHostName())
                    .isEqualTo("echo." + peers.alice.id().text() + ".parley")
                    .isEqualTo(server.host().toString());
            assertThat(accepted.getInetAddress().getHostName())
                    .isEqualTo(peers.bob.id().text() + ".parley");
            assertThat(server.getLocalPort()).isPositive();
        }
    }

    @Test
    void connect_toWhatIsNotThere_failsWithTheTypeOfTheJdk() {
        PeerSockets bob = peers.ofBob();
        assertThatThrownBy(() -> bob.connect("nothing", Duration.ofMillis(300)))
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessageStartingWith("Connect timed out")
                .hasMessageContaining("nothing");
        assertThatThrownBy(() -> bob.connect(peers.alice.id(), "nothing", SOON))
                .isInstanceOf(ConnectException.class)
                .hasMessageStartingWith("Connection refused")
                .hasMessageContaining("nothing")
                .hasMessageContaining(peers.alice.id().shortText());
        assertThatThrownBy(() -> bob.socketFactory().createSocket("www.example.org", 80))
                .isInstanceOf(UnknownHostException.class)
                .hasMessageContaining("<service>.<peer id>.parley");
        assertThatThrownBy(() -> bob.socketFactory().createSocket(InetAddress.getLoopbackAddress(), 80))
                .isInstanceOf(UnknownHostException.class)
                .hasMessageContaining("localhost");
    }

    @Test
    void peerThatTheFirstSearchDoesNotFind_isSearchedAgain() throws Exception {
        try (Peer rendezvous = Peer.loopback().actAsRendezvous().start();
                Peer host = Peer.loopback()
                        .rendezvous(rendezvous.address().toString())
                        .start();
                Peer guest = Peer.loopback()
                        .rendezvous(rendezvous.address().toString())
                        .start();
                PeerServerSocket server = PeerSockets.of(host).listen("late")) {
            AtomicInteger searches = new AtomicInteger();
            PeerGroup group = withFirstSearchThatFails(guest.netGroup(), searches);
            SocketContext context = new SocketContext(
                    new PeerSocketRegistry(group), Pipes.of(guest), SocketLimits.DEFAULTS, peer -> true);
            try (PeerSocket socket = new PeerSocket(context)) {
                socket.connect(SocketTarget.of(group, server.host()), SOON);
                assertThat(socket.remotePeer()).isEqualTo(host.id());
            }
            assertThat(searches).hasValueGreaterThan(1);
        }
    }

    /** Returns the group, whose first search for a peer fails as one that starts before others have learned of the peer. */
    private static PeerGroup withFirstSearchThatFails(PeerGroup group, AtomicInteger searches) {
        return (PeerGroup) Proxy.newProxyInstance(
                PeerGroup.class.getClassLoader(), new Class<?>[] {PeerGroup.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("locate") && searches.getAndIncrement() == 0) {
                        return CompletableFuture.failedFuture(ErrorCode.UNREACHABLE.exception("no address found"));
                    }
                    return method.invoke(group, arguments);
                });
    }

    @Test
    void listen_twice_failsUntilTheFirstIsClosed() throws Exception {
        PeerServerSocket first = peers.ofAlice().listen("echo");
        assertThatThrownBy(() -> peers.ofAlice().listen("echo"))
                .isInstanceOf(BindException.class)
                .hasMessageContaining("echo");
        first.close();
        try (PeerServerSocket second = peers.ofAlice().listen("echo")) {
            checkEcho(second, () -> peers.ofBob().connect(peers.alice.id(), "echo", SOON));
        }
    }

    @Test
    void factories_byClassName_findThePeerByNameOrId() throws Exception {
        peers.ofAlice();
        peers.ofBob();
        Properties postgres = new Properties();
        postgres.setProperty("user", "test");
        postgres.setProperty("socketFactoryArg", peers.bob.name());
        Properties own = new Properties();
        own.setProperty("parley.peer", peers.bob.id().text());
        try (ServerSocket server = new PeerServerSocketFactory(peers.alice.name()).createServerSocket(5432)) {
            String host = "5432." + peers.alice.id().text() + ".parley";
            for (PeerSocketFactory factory : new PeerSocketFactory[] {
                new PeerSocketFactory(postgres),
                new PeerSocketFactory(own),
                new PeerSocketFactory(
                        peers.bob.name() + "/" + peers.bob.netGroup().name())
            }) {
                try (Socket socket = factory.createSocket(host, 5432);
                        Socket accepted = server.accept()) {
                    assertThat(accepted.isConnected()).isTrue();
                    assertThat(socket.getPort()).isEqualTo(5432);
                    assertThat(accepted.getLocalPort()).isEqualTo(5432);
                }
            }
        }
        assertThatThrownBy(() -> new PeerSocketFactory("nobody").createSocket())
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("nobody")
                .hasMessageContaining(peers.bob.name());
    }

    @Test
    void factory_ofAClosedPeer_saysThatThereIsNone() throws Exception {
        peers.ofBob();
        PeerSocketFactory factory = new PeerSocketFactory(peers.bob.name());
        factory.createSocket().close();
        peers.bob.close();
        assertThatThrownBy(factory::createSocket)
                .isInstanceOf(SocketException.class)
                .hasMessageContaining(peers.bob.name());
    }

    @Test
    void serverSocket_bindsByAddress() throws Exception {
        PeerServerSocketFactory factory = peers.ofAlice().serverSocketFactory();
        try (PeerServerSocket byHost = factory.createServerSocket();
                PeerServerSocket byNothing = factory.createServerSocket();
                PeerServerSocket other = factory.createServerSocket()) {
            byHost.bind(InetSocketAddress.createUnresolved("echo.parley", 80));
            assertThat(byHost.host().service()).isEqualTo("echo");
            assertThat(byHost.getLocalPort()).isEqualTo(80);
            byNothing.bind(null);
            assertThat(byNothing.host().service()).startsWith("s");
            assertThatThrownBy(() -> other.bind(InetSocketAddress.createUnresolved(
                            "echo." + peers.bob.id().text() + ".parley", 80)))
                    .isInstanceOf(BindException.class)
                    .hasMessageContaining("another peer");
        }
    }

    @Test
    void byteChannel_movesFiles(@TempDir Path folder) throws Exception {
        byte[] content = new byte[3 * 1024 * 1024 + 17];
        new Random(3).nextBytes(content);
        Path sent = Files.write(folder.resolve("sent"), content);
        Path received = folder.resolve("received");
        try (PeerServerSocket server = peers.ofAlice().listen("files");
                PeerByteChannel channel = peers.ofBob().connect("files", SOON).byteChannel();
                PeerByteChannel accepted = server.accept().byteChannel();
                FileChannel source = FileChannel.open(sent);
                FileChannel target =
                        FileChannel.open(received, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            Future<Long> sending = threads.submit(() -> {
                long count = channel.transferFrom(source, 0, Long.MAX_VALUE);
                channel.shutdownOutput();
                return count;
            });
            assertThat(accepted.transferTo(target, 0, Long.MAX_VALUE)).isEqualTo(content.length);
            assertThat(sending.get(20, TimeUnit.SECONDS)).isEqualTo(content.length);
            assertThat(Files.readAllBytes(received)).isEqualTo(content);
            assertThat(accepted.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    @Test
    void byteChannel_doesNotReadWhatTheFileCannotTake(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[3]);
        FileChannel closedFile = FileChannel.open(file, StandardOpenOption.WRITE);
        closedFile.close();
        try (PeerServerSocket server = peers.ofAlice().listen("files");
                PeerByteChannel channel = peers.ofBob().connect("files", SOON).byteChannel();
                PeerByteChannel accepted = server.accept().byteChannel();
                FileChannel readOnly = FileChannel.open(file, StandardOpenOption.READ);
                FileChannel target = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap("0123456789".getBytes(UTF_8)));
            channel.shutdownOutput();
            assertThatThrownBy(() -> accepted.transferTo(readOnly, 0, 10))
                    .isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(() -> accepted.transferTo(closedFile, 0, 10)).isInstanceOf(ClosedChannelException.class);
            assertThat(accepted.transferTo(target, 4, 10))
                    .as("bytes beyond the end")
                    .isZero();
            assertThat(accepted.transferTo(target, 3, 20)).isEqualTo(10);
        }
        assertThat(Files.readString(file)).isEqualTo("\0\0\0" + "0123456789");
    }

    @Test
    void largeTransfer_slowReader_blocksTheWriter() throws Exception {
        byte[] content = new byte[16 * 1024 * 1024];
        new Random(4).nextBytes(content);
        try (PeerServerSocket server = peers.ofAlice().listen("echo");
                PeerSocket socket = peers.ofBob().connect("echo", SOON);
                PeerSocket accepted = server.accept()) {
            Future<?> writing = threads.submit(() -> {
                accepted.getOutputStream().write(content);
                accepted.close();
                return null;
            });
            InputStream in = socket.getInputStream();
            assertThat(in.readNBytes(1)).containsExactly(content[0]);
            assertThat(writing.isDone()).isFalse(); // the queues and windows are smaller
            byte[] rest = in.readAllBytes();
            assertThat(rest).hasSize(content.length - 1);
            assertThat(rest).isEqualTo(java.util.Arrays.copyOfRange(content, 1, content.length));
            writing.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void closeThatLingers_holdsUpNoOtherCall() throws Exception {
        byte[] content = new byte[512 * 1024]; // more than the window, less than the queue
        PeerSockets alice = peers.ofAlice()
                .withLimits(
                        SocketLimits.DEFAULTS.toBuilder().bufferBytes(8 * 1024).build());
        try (PeerServerSocket server = alice.listen("echo");
                PeerSocket socket = peers.ofBob().connect("echo", SOON);
                PeerSocket accepted = server.accept()) {
            PeerByteChannel channel = socket.byteChannel();
            Future<Integer> reading = threads.submit(() -> channel.read(ByteBuffer.allocate(1)));
            socket.getOutputStream().write(content);
            socket.setSoLinger(true, 3600);
            Future<?> closing = threads.submit(() -> {
                socket.close();
                return null;
            });
            assertThatThrownBy(() -> reading.get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ClosedChannelException.class);
            Future<?> calling = threads.submit(() -> {
                socket.setSoTimeout(1);
                return null;
            });
            assertThatThrownBy(() -> calling.get(20, TimeUnit.SECONDS)).hasMessageEndingWith("Socket is closed");
            assertThat(closing.isDone()).as("the close has ended").isFalse();
            assertThat(accepted.getInputStream().readAllBytes()).hasSameSizeAs(content);
            closing.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void closingThePeer_endsSocketsAndServers() throws Exception {
        PeerServerSocket server = peers.ofAlice().listen("echo");
        PeerSocket socket = peers.ofBob().connect("echo", SOON);
        PeerSocket accepted = server.accept();
        PeerByteChannel channel = accepted.byteChannel();
        Future<Integer> reading = threads.submit(() -> accepted.getInputStream().read());
        Future<PeerSocket> accepting = threads.submit(server::accept);
        peers.alice.close();
        assertThatThrownBy(() -> reading.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(SocketException.class);
        assertThatThrownBy(() -> accepting.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(SocketException.class);
        assertThat(server.isClosed()).as("closed: a loop of accepts ends").isTrue();
        assertThat(accepted.isClosed()).isTrue();
        assertThat(channel.isOpen()).isFalse();
        assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1))).isInstanceOf(ClosedChannelException.class);
        try {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        } catch (IOException e) {
            assertThat(e).isInstanceOf(SocketException.class);
        }
    }
}
