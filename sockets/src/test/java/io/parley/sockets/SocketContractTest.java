package io.parley.sockets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.parley.testkit.Eventually;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedByInterruptException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The contract of {@link Socket} and {@link ServerSocket}: each case runs over a pair of plain sockets and over sockets between peers, with
 * the same assertions. {@code docs/guide/sockets.md} lists the differences, none of which is asserted here.
 */
class SocketContractTest {

    private static final int MILLIS = 100;
    /** More than a refusal takes on a loaded machine. */
    private static final int REFUSAL_MILLIS = 30_000;
    /** The native methods in which a thread waits: in the kernel, or parked. */
    private static final Set<String> NATIVE_WAITS = Set.of("poll", "read0", "write0", "accept", "park");
    /** The methods in which a virtual thread waits. */
    private static final Set<String> VIRTUAL_WAITS = Set.of("parkVirtualThread", "yieldContinuation");

    private static final int LARGE = 32 * 1024 * 1024;

    private static SocketKind plain;
    private static SocketKind ofPeers;

    @BeforeAll
    static void start() {
        plain = new SocketKind.Plain();
        ofPeers = new SocketKind.OfPeers();
    }

    @AfterAll
    static void close() throws IOException {
        plain.close();
        ofPeers.close();
    }

    private interface Case {
        void run(SocketKind kind) throws Exception;
    }

    private interface PairCase {
        void run(Socket client, Socket accepted) throws Exception;
    }

    private interface Call {
        void run() throws Exception;
    }

    /** A case with a connected pair. */
    private static Case pair(PairCase test) {
        return kind -> {
            try (ServerSocket server = kind.newServer()) {
                server.bind(kind.newAddress());
                try (Socket client = kind.newSocket()) {
                    client.connect(kind.addressOf(server));
                    try (Socket accepted = server.accept()) {
                        test.run(client, accepted);
                    }
                }
            }
        };
    }

    @TestFactory
    Stream<DynamicTest> cases() {
        Map<String, Case> cases = new LinkedHashMap<>();
        addStreams(cases);
        addTimeouts(cases);
        addHalfClose(cases);
        addClose(cases);
        addInterrupts(cases);
        addStates(cases);
        addOptions(cases);
        addServers(cases);
        return cases.entrySet().stream()
                .flatMap(each -> Stream.of(plain, ofPeers)
                        .map(kind -> DynamicTest.dynamicTest(
                                each.getKey() + ", " + kind,
                                () -> each.getValue().run(kind))));
    }

    private static void addStreams(Map<String, Case> cases) {
        cases.put("single bytes pass unsigned", pair((client, accepted) -> {
            client.getOutputStream().write(0xff);
            client.getOutputStream().write(0x100);
            assertThat(accepted.getInputStream().read()).isEqualTo(0xff);
            assertThat(accepted.getInputStream().read()).isZero();
        }));
        cases.put("both directions carry many bytes at once", pair((client, accepted) -> {
            byte[] content = content(LARGE / 4);
            CompletableFuture<Void> one = run(() -> client.getOutputStream().write(content));
            CompletableFuture<Void> other = run(() -> accepted.getOutputStream().write(content));
            CompletableFuture<byte[]> read = new CompletableFuture<>();
            CompletableFuture<Void> reading =
                    run(() -> read.complete(client.getInputStream().readNBytes(content.length)));
            assertThat(accepted.getInputStream().readNBytes(content.length)).isEqualTo(content);
            assertThat(get(read)).isEqualTo(content);
            get(CompletableFuture.allOf(one, other, reading));
        }));
        cases.put("a read returns what is there", pair((client, accepted) -> {
            client.getOutputStream().write(new byte[10]);
            awaitAvailable(accepted, 10);
            assertThat(accepted.getInputStream().read(new byte[4])).isEqualTo(4);
            assertThat(accepted.getInputStream().read(new byte[100])).isEqualTo(6);
        }));
        cases.put("available counts the bytes that have arrived", pair((client, accepted) -> {
            assertThat(accepted.getInputStream().available()).isZero();
            client.getOutputStream().write(new byte[10]);
            client.getOutputStream().write(new byte[5]);
            awaitAvailable(accepted, 15);
            accepted.getInputStream().read();
            assertThat(accepted.getInputStream().available()).isEqualTo(14);
        }));
        cases.put("skip and transferTo", pair((client, accepted) -> {
            client.getOutputStream().write(new byte[] {1, 2, 3, 4});
            client.shutdownOutput();
            assertThat(accepted.getInputStream().skip(2)).isEqualTo(2);
            java.io.ByteArrayOutputStream rest = new java.io.ByteArrayOutputStream();
            assertThat(accepted.getInputStream().transferTo(rest)).isEqualTo(2);
            assertThat(rest.toByteArray()).containsExactly(3, 4);
        }));
        cases.put("reads and writes of 0 bytes do nothing, also at the end", pair((client, accepted) -> {
            assertThat(accepted.getInputStream().read(new byte[3], 1, 0)).isZero();
            client.getOutputStream().write(new byte[3], 1, 0);
            client.shutdownOutput();
            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            assertThat(accepted.getInputStream().read(new byte[0])).isZero();
        }));
        cases.put("the end of the stream repeats", pair((client, accepted) -> {
            client.close();
            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            assertThat(accepted.getInputStream().read(new byte[5])).isEqualTo(-1);
            assertThat(accepted.getInputStream().available()).isZero();
        }));
        cases.put("wrong ranges and nulls are refused", pair((client, accepted) -> {
            InputStream in = client.getInputStream();
            OutputStream out = client.getOutputStream();
            assertThatThrownBy(() -> in.read(new byte[3], 2, 2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> in.read(new byte[3], -1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> out.write(new byte[3], 2, 2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> in.read(null, 0, 1)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> out.write(null, 0, 1)).isInstanceOf(NullPointerException.class);
        }));
        cases.put("a written array may be changed afterwards", pair((client, accepted) -> {
            byte[] bytes = {1, 2, 3};
            client.getOutputStream().write(bytes);
            Arrays.fill(bytes, (byte) 9);
            assertThat(accepted.getInputStream().readNBytes(3)).containsExactly(1, 2, 3);
        }));
    }

    private static void addTimeouts(Map<String, Case> cases) {
        cases.put("a read times out, and the stream is usable afterwards", pair((client, accepted) -> {
            client.setSoTimeout(MILLIS);
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("Read timed out");
            accepted.getOutputStream().write(7);
            client.setSoTimeout(0);
            assertThat(client.getInputStream().read()).isEqualTo(7);
            assertThat(client.isClosed()).isFalse();
        }));
        cases.put("an accept times out, and the server is usable afterwards", kind -> {
            try (ServerSocket server = kind.newServer();
                    Socket client = kind.newSocket()) {
                server.bind(kind.newAddress());
                server.setSoTimeout(MILLIS);
                assertThatThrownBy(server::accept)
                        .isInstanceOf(SocketTimeoutException.class)
                        .hasMessage("Accept timed out");
                server.setSoTimeout(0);
                client.connect(kind.addressOf(server));
                server.accept().close();
            }
        });
        cases.put("an accept times out while another thread accepts", kind -> {
            try (ServerSocket server = kind.newServer();
                    Socket client = kind.newSocket()) {
                server.bind(kind.newAddress());
                CompletableFuture<Void> first =
                        runAndAwaitWait(() -> server.accept().close());
                server.setSoTimeout(MILLIS);
                assertThat(failure(run(() -> server.accept().close())))
                        .isInstanceOf(SocketTimeoutException.class)
                        .hasMessage("Accept timed out");
                assertThat(first.isDone()).isFalse();
                client.connect(kind.addressOf(server));
                get(first);
            }
        });
        cases.put("a read times out while another thread reads", pair((client, accepted) -> {
            assumeTrue(
                    client instanceof PeerSocket || Runtime.version().feature() >= 21, "JDK 17 waits for that thread");
            CompletableFuture<Void> first = runAndAwaitWait(
                    () -> assertThat(client.getInputStream().read()).isEqualTo(7));
            client.setSoTimeout(MILLIS);
            assertThat(failure(run(() -> client.getInputStream().read())))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("Read timed out");
            assertThat(first.isDone()).isFalse();
            accepted.getOutputStream().write(7);
            get(first);
        }));
        cases.put("a connect times out", kind -> {
            SocketAddress silent = kind.silentAddress();
            try (Socket client = kind.newSocket()) {
                assertThatThrownBy(() -> client.connect(silent, 3 * MILLIS))
                        .isInstanceOf(SocketTimeoutException.class)
                        .hasMessageStartingWith("Connect timed out");
                assertThat(client.isConnected()).isFalse();
            }
        });
        cases.put("negative timeouts are refused", kind -> {
            try (Socket client = kind.newSocket()) {
                assertThatThrownBy(() -> client.setSoTimeout(-1)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> client.connect(kind.newAddress(), -1))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        });
        cases.put("a connect is refused", kind -> {
            SocketAddress refusing = kind.refusingAddress();
            try (Socket client = kind.newSocket()) {
                assertThatThrownBy(() -> client.connect(refusing, REFUSAL_MILLIS))
                        .isInstanceOf(ConnectException.class)
                        .hasMessageStartingWith("Connection refused");
                assertThat(client.isConnected()).isFalse();
                assertThatThrownBy(() -> client.connect(refusing, REFUSAL_MILLIS))
                        .isInstanceOf(SocketException.class);
            }
        });
    }

    private static void addHalfClose(Map<String, Case> cases) {
        cases.put("the client ends its output, and still reads", pair((client, accepted) -> {
            client.getOutputStream().write("question".getBytes(UTF_8));
            client.shutdownOutput();
            assertThat(accepted.getInputStream().readAllBytes()).asString(UTF_8).isEqualTo("question");
            accepted.getOutputStream().write("answer".getBytes(UTF_8));
            accepted.close();
            assertThat(client.getInputStream().readAllBytes()).asString(UTF_8).isEqualTo("answer");
        }));
        cases.put("the accepted socket ends its output, and still reads", pair((client, accepted) -> {
            accepted.shutdownOutput();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            client.getOutputStream().write(5);
            assertThat(accepted.getInputStream().read()).isEqualTo(5);
            assertThat(accepted.isOutputShutdown()).isTrue();
            assertThat(accepted.isClosed()).isFalse();
        }));
        cases.put("a write after the end of the output fails", pair((client, accepted) -> {
            OutputStream out = client.getOutputStream();
            client.shutdownOutput();
            assertThatThrownBy(() -> out.write(1)).isInstanceOf(SocketException.class);
            assertThatThrownBy(client::getOutputStream)
                    .isInstanceOf(SocketException.class)
                    .hasMessage("Socket output is shutdown");
            assertThatThrownBy(client::shutdownOutput)
                    .isInstanceOf(SocketException.class)
                    .hasMessage("Socket output is already shutdown");
        }));
        cases.put("the output can be ended after a reset", pair((client, accepted) -> {
            accepted.setSoLinger(true, 0);
            accepted.close();
            OutputStream out = client.getOutputStream();
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageStartingWith("Connection reset");
            client.shutdownOutput();
            assertThat(client.isOutputShutdown()).isTrue();
            assertThatThrownBy(() -> out.write(1)).isInstanceOf(SocketException.class);
        }));
        cases.put("reads end after the end of the input", pair((client, accepted) -> {
            InputStream in = client.getInputStream();
            client.shutdownInput();
            assertThat(in.read()).isEqualTo(-1);
            assertThat(in.available()).isZero();
            assertThat(client.isInputShutdown()).isTrue();
            assertThatThrownBy(client::getInputStream)
                    .isInstanceOf(SocketException.class)
                    .hasMessage("Socket input is shutdown");
            assertThatThrownBy(client::shutdownInput)
                    .isInstanceOf(SocketException.class)
                    .hasMessage("Socket input is already shutdown");
            client.getOutputStream().write(3);
            assertThat(accepted.getInputStream().read()).isEqualTo(3);
        }));
        cases.put("the end of the input wakes the reader", pair((client, accepted) -> {
            CompletableFuture<Integer> read = new CompletableFuture<>();
            InputStream in = client.getInputStream();
            CompletableFuture<Void> reading = runAndAwaitWait(() -> read.complete(in.read()));
            client.shutdownInput();
            assertThat(get(read)).isEqualTo(-1);
            get(reading);
        }));
    }

    private static void addClose(Map<String, Case> cases) {
        cases.put("close wakes the reader", pair((client, accepted) -> {
            CompletableFuture<Void> reading =
                    runAndAwaitWait(() -> client.getInputStream().read());
            client.close();
            assertThat(failure(reading)).isInstanceOf(SocketException.class).hasMessage("Socket closed");
        }));
        cases.put("close wakes the writer", pair((client, accepted) -> {
            CompletableFuture<Void> writing =
                    runAndAwaitWait(() -> client.getOutputStream().write(new byte[LARGE]));
            client.setSoLinger(true, 0);
            client.close();
            assertThat(failure(writing)).isInstanceOf(SocketException.class).hasMessage("Socket closed");
        }));
        cases.put("close wakes the accept", kind -> {
            try (ServerSocket server = kind.newServer()) {
                server.bind(kind.newAddress());
                CompletableFuture<Void> accepting = runAndAwaitWait(() -> server.accept());
                server.close();
                assertThat(failure(accepting))
                        .isInstanceOf(SocketException.class)
                        .hasMessage("Socket closed");
            }
        });
        cases.put("close wakes the connect", kind -> {
            SocketAddress silent = kind.silentAddress();
            try (Socket client = kind.newSocket()) {
                CompletableFuture<Void> connecting = runAndAwaitWait(() -> client.connect(silent, 20_000));
                client.close();
                assertThat(failure(connecting))
                        .isInstanceOf(SocketException.class)
                        .hasMessage("Socket closed");
            }
        });
        cases.put("what was written before the close arrives", pair((client, accepted) -> {
            byte[] content = content(100_000);
            client.getOutputStream().write(content);
            client.close();
            assertThat(accepted.getInputStream().readAllBytes()).isEqualTo(content);
        }));
        cases.put("close with a linger time waits until the bytes have arrived", pair((client, accepted) -> {
            byte[] content = content(100_000);
            client.setSoLinger(true, 20);
            client.getOutputStream().write(content);
            CompletableFuture<Void> closing = run(client::close);
            assertThat(accepted.getInputStream().readAllBytes()).isEqualTo(content);
            get(closing);
        }));
        cases.put("close with a linger time of zero resets the stream", pair((client, accepted) -> {
            client.setSoLinger(true, 0);
            client.close();
            assertThatThrownBy(() -> accepted.getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageStartingWith("Connection reset");
        }));
        cases.put("writes to a closed socket fail at last", pair((client, accepted) -> {
            accepted.close();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            OutputStream out = client.getOutputStream();
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100_000; i++) {
                            out.write(new byte[1000]);
                        }
                    })
                    .isInstanceOf(SocketException.class);
        }));
        cases.put("close of a stream closes the socket", pair((client, accepted) -> {
            client.getInputStream().close();
            accepted.getOutputStream().close();
            assertThat(client.isClosed()).isTrue();
            assertThat(accepted.isClosed()).isTrue();
        }));
        cases.put("close twice has no effect", pair((client, accepted) -> {
            client.close();
            client.close();
            assertThat(client.isClosed()).isTrue();
            assertThat(client.isConnected()).isTrue();
        }));
        cases.put("calls of a closed socket fail", pair((client, accepted) -> {
            InputStream in = client.getInputStream();
            OutputStream out = client.getOutputStream();
            client.close();
            assertThatThrownBy(in::read).isInstanceOf(SocketException.class).hasMessage("Socket closed");
            assertThatThrownBy(() -> out.write(1))
                    .isInstanceOf(SocketException.class)
                    .hasMessage("Socket closed");
            assertThatThrownBy(in::available).isInstanceOf(IOException.class);
            for (Call call : List.<Call>of(
                    client::getInputStream,
                    client::getOutputStream,
                    () -> client.setSoTimeout(1),
                    client::getTcpNoDelay,
                    client::shutdownInput,
                    client::shutdownOutput,
                    () -> client.connect(new InetSocketAddress(1)))) {
                assertThatThrownBy(call::run)
                        .isInstanceOf(SocketException.class)
                        .hasMessage("Socket is closed");
            }
        }));
    }

    private static void addInterrupts(Map<String, Case> cases) {
        cases.put("an interrupt does not end the read of a platform thread", pair((client, accepted) -> {
            CountDownLatch started = new CountDownLatch(1);
            CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
            Thread reader = new Thread(() -> {
                try {
                    started.countDown();
                    client.getInputStream().read();
                    stillInterrupted.complete(Thread.currentThread().isInterrupted());
                } catch (IOException e) {
                    stillInterrupted.completeExceptionally(e);
                }
            });
            reader.start();
            Eventually.latch(started, "reader");
            reader.interrupt();
            assertThat(stillInterrupted.isDone()).isFalse();
            accepted.getOutputStream().write(1);
            assertThat(get(stillInterrupted)).isTrue();
        }));
        cases.put("an interrupt of a virtual thread closes the socket that it reads", pair((client, accepted) -> {
            interruptVirtual(client.getInputStream()::read);
            assertThat(client.isClosed()).isTrue();
            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
        }));
        cases.put("an interrupt of a virtual thread closes the socket that it writes", pair((client, accepted) -> {
            interruptVirtual(() -> client.getOutputStream().write(new byte[LARGE]));
            assertThat(client.isClosed()).isTrue();
        }));
        cases.put("an interrupt of a virtual thread closes the channel that it reads", pair((client, accepted) -> {
            assumeTrue(client instanceof PeerSocket, "has a channel");
            try (ByteChannel channel = ((PeerSocket) client).byteChannel()) {
                assertThat(failureOfInterrupted(() -> channel.read(ByteBuffer.allocate(1))))
                        .isInstanceOf(ClosedByInterruptException.class);
                assertThat(channel.isOpen()).isFalse();
            }
            assertThat(client.isClosed()).isTrue();
            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
        }));
        cases.put("an interrupt of a virtual thread closes the channel that it writes", pair((client, accepted) -> {
            assumeTrue(client instanceof PeerSocket, "has a channel");
            client.setSoLinger(true, 20); // an interrupted thread does not wait
            try (ByteChannel channel = ((PeerSocket) client).byteChannel()) {
                assertThat(failureOfInterrupted(() -> channel.write(ByteBuffer.allocate(LARGE))))
                        .isInstanceOf(ClosedByInterruptException.class);
                assertThat(channel.isOpen()).isFalse();
            }
            assertThat(client.isClosed()).isTrue();
        }));
        cases.put("an interrupt of a virtual thread closes the server socket", kind -> {
            try (ServerSocket server = kind.newServer()) {
                server.bind(kind.newAddress());
                interruptVirtual(server::accept);
                assertThat(server.isClosed()).isTrue();
            }
        });
        cases.put("an interrupt of a virtual thread closes the socket that it connects", kind -> {
            SocketAddress silent = kind.silentAddress();
            try (Socket client = kind.newSocket()) {
                interruptVirtual(() -> client.connect(silent, 20_000));
                assertThat(client.isClosed()).isTrue();
            }
        });
    }

    private static void addStates(Map<String, Case> cases) {
        cases.put("a new socket is not connected", kind -> {
            try (Socket client = kind.newSocket()) {
                assertThat(client.isConnected()).isFalse();
                assertThat(client.isClosed()).isFalse();
                assertThat(client.getInetAddress()).isNull();
                assertThat(client.getRemoteSocketAddress()).isNull();
                assertThat(client.getPort()).isZero();
                assertThatThrownBy(client::getInputStream)
                        .isInstanceOf(SocketException.class)
                        .hasMessage("Socket is not connected");
                assertThatThrownBy(client::shutdownOutput)
                        .isInstanceOf(SocketException.class)
                        .hasMessage("Socket is not connected");
            }
        });
        cases.put("a connected socket knows its addresses, also when closed", pair((client, accepted) -> {
            for (Socket each : List.of(client, accepted)) {
                assertThat(each.isConnected()).isTrue();
                assertThat(each.isBound()).isTrue();
                assertThat(each.getPort()).isPositive();
                assertThat(each.getLocalPort()).isPositive();
                assertThat(each.getInetAddress().isAnyLocalAddress()).isFalse();
                assertThat(each.getRemoteSocketAddress())
                        .isEqualTo(new InetSocketAddress(each.getInetAddress(), each.getPort()));
                assertThat(each.toString()).startsWith("Socket[addr=");
            }
            client.close();
            assertThat(client.getPort()).isPositive();
            assertThat(client.getInetAddress()).isNotNull();
        }));
        cases.put("a second connect fails", kind -> {
            try (ServerSocket server = kind.newServer();
                    Socket client = kind.newSocket()) {
                server.bind(kind.newAddress());
                client.connect(kind.addressOf(server));
                assertThatThrownBy(() -> client.connect(kind.addressOf(server)))
                        .isInstanceOf(SocketException.class)
                        .hasMessageMatching("(?i)already connected");
            }
        });
        cases.put("foreign kinds of addresses are refused", kind -> {
            SocketAddress foreign = new SocketAddress() {};
            try (Socket client = kind.newSocket();
                    ServerSocket server = kind.newServer()) {
                assertThatThrownBy(() -> client.connect(foreign)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> client.connect(null)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> server.bind(foreign)).isInstanceOf(IllegalArgumentException.class);
            }
        });
    }

    private static void addOptions(Map<String, Case> cases) {
        cases.put(
                "options of keep-alive are kept and returned where the platform has them", pair((client, accepted) -> {
                    for (SocketOption<Integer> option : List.of(
                            ExtendedSocketOptions.TCP_KEEPIDLE,
                            ExtendedSocketOptions.TCP_KEEPINTERVAL,
                            ExtendedSocketOptions.TCP_KEEPCOUNT)) {
                        try (Socket ofThePlatform = new Socket()) {
                            assumeTrue(ofThePlatform.supportedOptions().contains(option), option.name());
                        }
                        for (Socket each : List.of(client, accepted)) {
                            assertThat(each.supportedOptions()).contains(option);
                            assertThat(each.getOption(option)).isPositive();
                            assertThat(each.setOption(option, 17).getOption(option))
                                    .isEqualTo(17);
                        }
                    }
                }));
        cases.put("options are kept and returned", pair((client, accepted) -> {
            client.setTcpNoDelay(true);
            assertThat(client.getTcpNoDelay()).isTrue();
            client.setKeepAlive(true);
            assertThat(client.getKeepAlive()).isTrue();
            client.setOOBInline(true);
            assertThat(client.getOOBInline()).isTrue();
            client.setReuseAddress(true);
            assertThat(client.getReuseAddress()).isTrue();
            client.setSoTimeout(1234);
            assertThat(client.getSoTimeout()).isEqualTo(1234);
            client.setSoLinger(true, 12);
            assertThat(client.getSoLinger()).isEqualTo(12);
            client.setSoLinger(false, 12);
            assertThat(client.getSoLinger()).isEqualTo(-1);
            client.setSendBufferSize(20_000);
            assertThat(client.getSendBufferSize()).isPositive();
            client.setReceiveBufferSize(20_000);
            assertThat(client.getReceiveBufferSize()).isPositive();
            assertThatThrownBy(() -> client.setSendBufferSize(0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> client.setTrafficClass(256)).isInstanceOf(IllegalArgumentException.class);
            client.setPerformancePreferences(1, 2, 3);
        }));
        cases.put("options by name are kept and returned", pair((client, accepted) -> {
            assertThat(client.supportedOptions())
                    .contains(
                            StandardSocketOptions.TCP_NODELAY,
                            StandardSocketOptions.SO_KEEPALIVE,
                            StandardSocketOptions.SO_LINGER,
                            StandardSocketOptions.SO_RCVBUF,
                            StandardSocketOptions.SO_SNDBUF);
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            assertThat(client.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
            assertThat(client.getTcpNoDelay()).isTrue();
            client.setOption(StandardSocketOptions.SO_LINGER, 3);
            assertThat(client.getSoLinger()).isEqualTo(3);
            assertThatThrownBy(() -> client.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1))
                    .isInstanceOf(UnsupportedOperationException.class);
        }));
        cases.put("options before the connect stay", kind -> {
            try (ServerSocket server = kind.newServer();
                    Socket client = kind.newSocket()) {
                server.bind(kind.newAddress());
                client.setSoTimeout(MILLIS);
                client.setTcpNoDelay(true);
                client.connect(kind.addressOf(server));
                assertThat(client.getTcpNoDelay()).isTrue();
                assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            }
        });
    }

    private static void addServers(Map<String, Case> cases) {
        cases.put("a connect succeeds and bytes are accepted before the accept", kind -> {
            try (ServerSocket server = kind.newServer();
                    Socket client = kind.newSocket()) {
                server.bind(kind.newAddress());
                client.connect(kind.addressOf(server));
                client.getOutputStream().write(9);
                client.close();
                try (Socket accepted = server.accept()) {
                    assertThat(accepted.getInputStream().read()).isEqualTo(9);
                    assertThat(accepted.getInputStream().read()).isEqualTo(-1);
                }
            }
        });
        cases.put("closing the server leaves accepted sockets", kind -> {
            ServerSocket server = kind.newServer();
            server.bind(kind.newAddress());
            try (Socket client = kind.newSocket()) {
                client.connect(kind.addressOf(server));
                try (Socket accepted = server.accept()) {
                    server.close();
                    client.getOutputStream().write(9);
                    assertThat(accepted.getInputStream().read()).isEqualTo(9);
                }
            }
        });
        cases.put("closing the server resets those that wait", kind -> {
            ServerSocket server = kind.newServer();
            server.bind(kind.newAddress());
            try (Socket client = kind.newSocket()) {
                client.connect(kind.addressOf(server));
                server.close();
                assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
            }
        });
        cases.put("a server is bound once", kind -> {
            try (ServerSocket server = kind.newServer()) {
                assertThat(server.isBound()).isFalse();
                assertThat(server.getLocalPort()).isEqualTo(-1);
                assertThatThrownBy(server::accept)
                        .isInstanceOf(SocketException.class)
                        .hasMessageMatching("(?i)socket is not bound yet");
                server.bind(kind.newAddress());
                assertThat(server.isBound()).isTrue();
                assertThat(server.getLocalPort()).isPositive();
                assertThatThrownBy(() -> server.bind(kind.newAddress()))
                        .isInstanceOf(SocketException.class)
                        .hasMessageMatching("(?i)already bound");
            }
        });
        cases.put("calls of a closed server fail", kind -> {
            ServerSocket server = kind.newServer();
            server.bind(kind.newAddress());
            server.close();
            server.close();
            assertThat(server.isClosed()).isTrue();
            for (Call call :
                    List.<Call>of(server::accept, () -> server.bind(kind.newAddress()), () -> server.setSoTimeout(1))) {
                assertThatThrownBy(call::run)
                        .isInstanceOf(SocketException.class)
                        .hasMessageMatching("(?i)socket is closed");
            }
        });
    }

    // Helpers.

    private static byte[] content(int size) {
        byte[] content = new byte[size];
        for (int i = 0; i < size; i++) {
            content[i] = (byte) (i * 31 + i / 251);
        }
        return content;
    }

    private static void awaitAvailable(Socket socket, int bytes) throws IOException {
        InputStream in = socket.getInputStream();
        Eventually.until(() -> "available: " + bytes, () -> {
            try {
                return in.available() == bytes;
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    private static CompletableFuture<Void> run(Call call) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(task(call, done), "contract");
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    private static Runnable task(Call call, CompletableFuture<Void> done) {
        return () -> {
            try {
                call.run();
                done.complete(null);
            } catch (Exception e) {
                done.completeExceptionally(e);
            }
        };
    }

    /** Runs a call that waits, and returns when its thread does: in the kernel, or parked. */
    private static CompletableFuture<Void> runAndAwaitWait(Call call) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(task(call, done), "contract");
        thread.setDaemon(true);
        thread.start();
        awaitWait(thread, done);
        return done;
    }

    private static void awaitWait(Thread thread, CompletableFuture<Void> done) {
        Eventually.until(
                () -> "thread waits: " + Arrays.toString(thread.getStackTrace()),
                () -> done.isDone()
                        || Arrays.stream(thread.getStackTrace()).limit(3).anyMatch(SocketContractTest::isWait));
    }

    private static boolean isWait(StackTraceElement frame) {
        String method = frame.getMethodName();
        return (frame.isNativeMethod() && NATIVE_WAITS.contains(method)) || VIRTUAL_WAITS.contains(method);
    }

    private static void interruptVirtual(Call call) throws Exception {
        assertThat(failureOfInterrupted(call))
                .isInstanceOf(SocketException.class)
                .hasMessage("Closed by interrupt");
    }

    /** Interrupts a virtual thread that waits in the call. */
    private static Throwable failureOfInterrupted(Call call) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = startVirtual(task(call, done));
        awaitWait(thread, done);
        thread.interrupt();
        return failure(done);
    }

    /** Starts a virtual thread, which the JDK has from 21 on. */
    private static Thread startVirtual(Runnable task) throws Exception {
        org.junit.jupiter.api.Assumptions.assumeTrue(Runtime.version().feature() >= 21, "virtual threads: JDK 21");
        try {
            return (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e);
        }
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    private static Throwable failure(CompletableFuture<?> future) throws Exception {
        try {
            future.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return e.getCause();
        }
        throw new AssertionError("no failure");
    }
}
