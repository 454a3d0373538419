package io.parley.transport.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.transport.ConnectionAcceptor;
import io.parley.testkit.transport.RecordingListener;
import io.parley.testkit.transport.TestTransports;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import io.parley.transport.tcp.TcpTransportProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Dials to what is not a peer, through proxies, and by https. */
class DialTest {

    private static final Identity ALICE = Identity.generate();
    private static final Identity BOB = Identity.generate();
    private static final EndpointAddress ANY = EndpointAddress.parse("http://127.0.0.1:0");

    /** Where dials go; null for no proxy. */
    private volatile InetSocketAddress proxy;

    private final List<URI> selections = new CopyOnWriteArrayList<>();
    private final X509Bundle certificate = certificate("127.0.0.1");
    private final X509Bundle ofAnotherHost = certificate("192.0.2.1");
    private final TestTransports transports = new TestTransports(new Provider(), TransportSecurity.TLS);

    /** Transports that use the proxy of this test and trust its certificate. */
    private final class Provider implements TransportProvider {

        @Override
        public Set<String> schemes() {
            return WebSocketTunnel.SCHEMES;
        }

        @Override
        public Transport create(TransportContext context) {
            HttpProxies proxies = new HttpProxies(Selector::new);
            HostTls tls = new HostTls(List.of(certificate.getCertificate(), ofAnotherHost.getCertificate()));
            return new TcpTransportProvider(new WebSocketTunnel(context, proxies, tls)).create(context);
        }
    }

    private final class Selector extends ProxySelector {

        @Override
        public List<Proxy> select(URI uri) {
            selections.add(uri);
            InetSocketAddress present = proxy;
            return List.of(present == null ? Proxy.NO_PROXY : new Proxy(Proxy.Type.HTTP, present));
        }

        @Override
        public void connectFailed(URI uri, SocketAddress address, IOException failure) {}
    }

    private static X509Bundle certificate(String host) {
        try {
            return new CertificateBuilder()
                    .subject("CN=test")
                    .addSanIpAddress(host)
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void close() {
        transports.close();
    }

    private static ParleyException assertFailsWith(CompletableFuture<Connection> dial, ErrorCode code, String text) {
        ParleyException failure = (ParleyException) ParleyException.unwrap(Eventually.failure(dial, "the dial"));
        assertThat(failure.code()).isEqualTo(code);
        assertThat(failure).hasMessageContaining(text);
        return failure;
    }

    private static EndpointAddress address(ServerSocket server) {
        return ANY.withPort(server.getLocalPort());
    }

    /** Answers one connection with a text after it has sent something. */
    private static ServerSocket answer(String response) throws IOException {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        CompletableFuture.runAsync(() -> {
            try (var socket = server.accept()) {
                socket.getInputStream().read(new byte[4096]);
                socket.getOutputStream().write(response.getBytes(ISO_8859_1));
                socket.shutdownOutput();
                socket.getInputStream().readAllBytes();
            } catch (IOException e) {
                // the end of the test
            }
        });
        return server;
    }

    @ParameterizedTest
    @CsvSource({
        "'HTTP/1.1 200 OK|Content-Length: 5||hello',        '200 OK'",
        "'HTTP/1.1 404 Not Found|Content-Length: 0||',      '404 Not Found'",
        "'HTTP/1.1 302 Found|Location: http://other/||',    '302 Found'",
        "'HTTP/1.1 500 \u001b[31m||',                       'request for a WebSocket'",
        "'HTTP/1.1 101 Switching Protocols|Upgrade: websocket|Connection: Upgrade||', 'does not accept the WebSocket'",
        "'SSH-2.0-OpenSSH_9.9|',                            'not HTTP'",
        "'',                                                'closed before the response'",
    })
    void otherServer_failsWithTheResponse(String response, String text) throws Exception {
        try (ServerSocket server = answer(response.replace("|", "\r\n"))) {
            ParleyException failure =
                    assertFailsWith(transports.open(ALICE).dial(address(server), null), ErrorCode.UNREACHABLE, text);
            assertThat(failure.getMessage())
                    .contains(address(server).toString(), "check that a peer listens there")
                    .doesNotContain("\u001b");
        }
    }

    @Test
    void serverThatDoesNotAnswer_failsWithTimeout() throws Exception {
        TransportLimits limits = TestTransports.PATIENT_LIMITS.toBuilder()
                .connectTimeout(Duration.ofMillis(25))
                .handshakeTimeout(Duration.ofMillis(25))
                .build();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertFailsWith(
                    transports.open(ALICE, limits).dial(address(server), null), ErrorCode.TIMEOUT, "HTTP handshake");
        }
    }

    @Test
    void peerThatListensOnTcp_failsWithASentence() {
        Transport alice = transports.open(ALICE);
        try (Transport bob = new TcpTransportProvider().create(transports.context(alice))) {
            TransportServer server =
                    transports.listen(bob, EndpointAddress.parse("tcp://127.0.0.1:0"), new ConnectionAcceptor());
            assertFailsWith(
                    alice.dial(ANY.withPort(server.address().port()), null),
                    ErrorCode.UNREACHABLE,
                    "check that a peer listens there with http://");
        }
    }

    @Test
    void listenOnHttps_failsWithASentence() {
        ParleyException failure = (ParleyException) ParleyException.unwrap(Eventually.failure(
                transports.open(BOB).listen(EndpointAddress.parse("https://127.0.0.1:0"), new ConnectionAcceptor()),
                "listening"));
        assertThat(failure.code()).isEqualTo(ErrorCode.CANNOT_LISTEN);
        assertThat(failure).hasMessageContaining("listen on http://");
    }

    @ParameterizedTest
    @CsvSource({
        "http://192.0.2.1:80,         192.0.2.1",
        "http://192.0.2.1:8080,       192.0.2.1:8080",
        "http://[2001:db8::1]:8080,   [2001:db8::1]:8080",
        "http://[fe80::1%eth0]:80,    [fe80::1]",
        "https://my_host:443,         my_host",
        "https://my_host:80,          my_host:80",
    })
    void authority(String address, String host) {
        assertThat(HttpAuthority.host(EndpointAddress.parse(address))).isEqualTo(host);
    }

    @Test
    void request_hasTheHost_andNoOrigin() throws Exception {
        CompletableFuture<String> request = new CompletableFuture<>();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture.runAsync(() -> {
                try (var socket = server.accept()) {
                    byte[] bytes = new byte[4096];
                    request.complete(
                            new String(bytes, 0, socket.getInputStream().read(bytes), ISO_8859_1));
                } catch (IOException e) {
                    request.completeExceptionally(e);
                }
            });
            assertFailsWith(transports.open(ALICE).dial(address(server), null), ErrorCode.UNREACHABLE, "closed before");
            assertThat(Eventually.get(request, "the request"))
                    .startsWith("GET /parley HTTP/1.1\r\n")
                    .containsIgnoringCase("\r\nhost: 127.0.0.1:" + server.getLocalPort() + "\r\n")
                    .doesNotContainIgnoringCase("origin:");
        }
    }

    // Through an HTTP proxy.

    private RecordingListener assertCommunicates(EndpointAddress address, ConnectionAcceptor acceptor) {
        RecordingListener near = transports.dial(transports.open(ALICE), address, BOB.peerId());
        RecordingListener far = acceptor.next();
        assertThat(near.connection().remoteAddress()).isEqualTo(address);
        assertThat(near.connection().authenticatedPeer()).isEqualTo(BOB.peerId());
        assertThat(far.connection().authenticatedPeer()).isEqualTo(ALICE.peerId());
        for (RecordingListener end : List.of(near, far)) {
            Eventually.run(end.connection().executor(), () -> {
                end.connection().write(Unpooled.wrappedBuffer(new byte[5000]), null);
                end.connection().flush();
            });
        }
        Eventually.until(() -> "frames are missing", () -> near.frameCount() == 1 && far.frameCount() == 1);
        return near;
    }

    @Test
    void proxy_connects() throws Exception {
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        TransportServer server = transports.listen(transports.open(BOB), ANY, acceptor);
        try (ForwardingServer connect = ForwardingServer.httpProxy()) {
            proxy = connect.address();
            RecordingListener near = assertCommunicates(server.address(), acceptor);
            assertThat(connect.requests())
                    .singleElement()
                    .asString()
                    .startsWith("CONNECT 127.0.0.1:" + server.address().port() + " HTTP/1.1\r\n");
            assertThat(selections).containsExactly(URI.create(server.address() + "/"));
            near.connection().close();
            assertThat(Eventually.get(acceptor.all().get(0).closed(), "the end at the acceptor"))
                    .isEmpty();
        }
    }

    @Test
    void proxy_thatRefuses_failsWithTheResponse() throws Exception {
        try (ServerSocket refusing = answer("HTTP/1.1 403 Forbidden\r\n\r\n")) {
            proxy = new InetSocketAddress(InetAddress.getLoopbackAddress(), refusing.getLocalPort());
            assertFailsWith(
                    transports.open(ALICE).dial(EndpointAddress.parse("http://peer.invalid:80"), null),
                    ErrorCode.UNREACHABLE,
                    "http://peer.invalid:80: the HTTP proxy 127.0.0.1:" + refusing.getLocalPort()
                            + " does not connect: '403 Forbidden'; check that the proxy permits CONNECT to this port");
        }
    }

    @Test
    void proxy_thatRefusesAHostWithTls_failsWithTheResponse() throws Exception {
        try (ServerSocket refusing = answer("HTTP/1.1 403 Forbidden\r\n\r\n")) {
            proxy = new InetSocketAddress(InetAddress.getLoopbackAddress(), refusing.getLocalPort());
            assertFailsWith(
                    transports.open(ALICE).dial(EndpointAddress.parse("https://peer.invalid:443"), null),
                    ErrorCode.UNREACHABLE,
                    "403 Forbidden");
        }
    }

    @Test
    void addressWithoutAPort_throughAProxy_fails() throws Exception {
        try (ForwardingServer connect = ForwardingServer.httpProxy()) {
            proxy = connect.address();
            assertFailsWith(
                    transports.open(ALICE).dial(EndpointAddress.parse("http://peer.invalid"), null),
                    ErrorCode.UNREACHABLE,
                    "needs a port");
        }
    }

    @Test
    void proxy_thatDoesNotRun_failsWithUnreachable() throws Exception {
        try (ServerSocket reserved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            proxy = new InetSocketAddress(InetAddress.getLoopbackAddress(), reserved.getLocalPort());
        }
        assertFailsWith(
                transports.open(ALICE).dial(EndpointAddress.parse("http://peer.invalid:80"), null),
                ErrorCode.UNREACHABLE,
                "http://peer.invalid:80: proxy http://127.0.0.1:" + proxy.getPort()
                        + ": connection refused; check the settings of the proxy");
    }

    @Test
    void proxy_thatClosesTheConnection_failsWithUnreachable() throws Exception {
        try (ServerSocket closing = answer("")) {
            proxy = new InetSocketAddress(InetAddress.getLoopbackAddress(), closing.getLocalPort());
            assertFailsWith(
                    transports.open(ALICE).dial(EndpointAddress.parse("http://peer.invalid:80"), null),
                    ErrorCode.UNREACHABLE,
                    "does not connect: 'disconnected'; check that");
        }
    }

    @Test
    void proxy_ofAnUnknownName_failsWithUnreachable() {
        proxy = InetSocketAddress.createUnresolved("proxy.invalid", 3128);
        assertFailsWith(
                transports.open(ALICE).dial(EndpointAddress.parse("http://peer.invalid:80"), null),
                ErrorCode.UNREACHABLE,
                "http://peer.invalid:80: proxy http://proxy.invalid:3128: unknown host; check the settings");
    }

    @Test
    void proxy_thatDoesNotAnswer_failsWithTimeout() throws Exception {
        TransportLimits limits = TestTransports.PATIENT_LIMITS.toBuilder()
                .connectTimeout(Duration.ofMillis(25))
                .handshakeTimeout(Duration.ofMillis(25))
                .build();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            proxy = new InetSocketAddress(InetAddress.getLoopbackAddress(), silent.getLocalPort());
            assertFailsWith(
                    transports.open(ALICE, limits).dial(EndpointAddress.parse("http://peer.invalid:80"), null),
                    ErrorCode.TIMEOUT,
                    "HTTP handshake");
        }
    }

    // By https, through a reverse proxy.

    @Test
    void reverseProxy_withAValidCertificate_connects() throws Exception {
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        TransportServer server = transports.listen(transports.open(BOB), ANY, acceptor);
        try (ForwardingServer reverse =
                ForwardingServer.tls(certificate, server.address().port())) {
            EndpointAddress address = reverse.httpsAddress();
            RecordingListener near = assertCommunicates(address, acceptor);
            acceptor.all().get(0).connection().close();
            assertThat(Eventually.get(near.closed(), "the end at the dialer")).isEmpty();
        }
    }

    @Test
    void reverseProxy_ofPeersWithoutTls_passesOnAnOrderlyEnd() throws Exception {
        try (TestTransports plaintext = new TestTransports(new Provider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor acceptor = new ConnectionAcceptor();
            TransportServer server = plaintext.listen(plaintext.open(BOB), ANY, acceptor);
            try (ForwardingServer reverse =
                    ForwardingServer.tls(certificate, server.address().port())) {
                RecordingListener near = plaintext.dial(plaintext.open(ALICE), reverse.httpsAddress(), null);
                acceptor.next().connection().close();
                assertThat(Eventually.get(near.closed(), "the end at the dialer"))
                        .isEmpty();
            }
        }
    }

    @Test
    void reverseProxy_thatEndsItsTls_isNotAnEndOfThePeer() throws Exception {
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        TransportServer server = transports.listen(transports.open(BOB), ANY, acceptor);
        try (ForwardingServer reverse =
                ForwardingServer.tls(certificate, server.address().port())) {
            EndpointAddress address = reverse.httpsAddress();
            RecordingListener near = assertCommunicates(address, acceptor);
            reverse.endConnections();
            assertThat(Eventually.get(near.closed(), "the end at the dialer"))
                    .get()
                    .asString()
                    .contains("ended without a TLS close");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void reverseProxy_withoutAValidCertificate_fails(boolean ofKnownAuthority) throws Exception {
        TransportServer server = transports.listen(transports.open(BOB), ANY, new ConnectionAcceptor());
        X509Bundle presented = ofKnownAuthority ? ofAnotherHost : certificate("127.0.0.1");
        try (ForwardingServer reverse =
                ForwardingServer.tls(presented, server.address().port())) {
            ParleyException failure = assertFailsWith(
                    transports.open(ALICE).dial(reverse.httpsAddress(), null),
                    ErrorCode.UNREACHABLE,
                    "TLS of the host: ");
            assertThat(failure)
                    .hasMessageContaining(ofKnownAuthority ? "127.0.0.1 found" : "PKIX path validation failed")
                    .hasMessageEndingWith(
                            "; check the certificate of the host or its reverse proxy, and the trust store of this JVM");
        }
    }

    @Test
    void https_toAPeerWithoutAReverseProxy_fails() {
        TransportServer server = transports.listen(transports.open(BOB), ANY, new ConnectionAcceptor());
        EndpointAddress address = server.address();
        assertFailsWith(
                transports.open(ALICE).dial(new EndpointAddress("https", address.host(), address.port()), null),
                ErrorCode.UNREACHABLE,
                "; check that the host or its reverse proxy uses TLS at this port");
    }

    @Test
    void reverseProxy_throughAProxy_connects() throws Exception {
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        TransportServer server = transports.listen(transports.open(BOB), ANY, acceptor);
        try (ForwardingServer reverse =
                        ForwardingServer.tls(certificate, server.address().port());
                ForwardingServer connect = ForwardingServer.httpProxy()) {
            proxy = connect.address();
            assertCommunicates(reverse.httpsAddress(), acceptor);
            assertThat(connect.requests()).singleElement().asString().startsWith("CONNECT 127.0.0.1:");
        }
    }
}
