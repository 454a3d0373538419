package io.parley.examples.software;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.testkit.Eventually;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.DefaultHttpClientConnectionOperator;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.config.RegistryBuilder;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.pool.PoolReusePolicy;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Apache HttpClient 5, unmodified, and a real nginx, over sockets of two peers. HTTPS is the TLS of the JDK over such a socket. */
@Tag("process")
@Tag("software")
@Timeout(600)
class HttpClientProcessTest {

    private static final int REQUESTS = Software.number("httpRequests", 400);
    private static final int FILE_MIB = Software.number("httpMib", 10);
    private static final int CLIENTS = 4;

    @TempDir
    private static Path shared;

    private static SoftwarePeers peers;
    private static NginxServer server;
    private static ServerCertificate certificate;
    private static List<TcpBridge> bridges;

    private CloseableHttpClient client;

    @BeforeAll
    static void start() throws Exception {
        Software.require("nginx");
        peers = new SoftwarePeers();
        certificate = ServerCertificate.create(shared, List.of(peers.host("web-tls")));
        Path www = Files.createDirectory(shared.resolve("www"));
        Files.writeString(www.resolve("small"), "small");
        byte[] mebibyte = new byte[Software.MIB];
        try (OutputStream out = Files.newOutputStream(www.resolve("large"))) {
            for (int i = 0; i < FILE_MIB; i++) {
                new Random(i).nextBytes(mebibyte);
                out.write(mebibyte);
            }
        }
        server = NginxServer.start(shared, certificate);
        bridges = List.of(peers.bridge("web", server.port()), peers.bridge("web-tls", server.tlsPort()));
    }

    @AfterAll
    static void stop() {
        if (peers != null) {
            peers.close();
        }
        if (server != null) {
            server.close();
        }
    }

    /** Leaves the host name to the socket. The default one asks the DNS. */
    private static final class UnresolvedHosts implements DnsResolver {
        @Override
        public List<InetSocketAddress> resolve(String host, int port) {
            return List.of(InetSocketAddress.createUnresolved(host, port));
        }

        @Override
        public InetAddress[] resolve(String host) throws UnknownHostException {
            throw new UnknownHostException(host);
        }

        @Override
        public String resolveCanonicalHostname(String host) {
            return host;
        }
    }

    @BeforeEach
    void open() throws Exception {
        PoolingHttpClientConnectionManager connections = new PoolingHttpClientConnectionManager(
                new DefaultHttpClientConnectionOperator(
                        proxy -> peers.clientFactory().createSocket(),
                        null,
                        new UnresolvedHosts(),
                        RegistryBuilder.<TlsSocketStrategy>create()
                                .register("https", new DefaultClientTlsStrategy(certificate.context()))
                                .build()),
                PoolConcurrencyPolicy.STRICT,
                PoolReusePolicy.LIFO,
                TimeValue.ofMinutes(5),
                null);
        connections.setDefaultMaxPerRoute(CLIENTS);
        client = HttpClients.custom()
                .setConnectionManager(connections)
                .disableAutomaticRetries()
                .build();
    }

    @AfterEach
    void closedConnections_leaveNoSocket() throws IOException {
        client.close();
        for (TcpBridge bridge : bridges) {
            Eventually.until(
                    () -> bridge.openSockets() + " sockets of the bridge are open", () -> bridge.openSockets() == 0);
        }
    }

    private static String uri(String service, String path) {
        return ("web-tls".equals(service) ? "https://" : "http://") + peers.host(service) + "/" + path;
    }

    private String get(String service, String path) throws IOException {
        return client.execute(new HttpGet(uri(service, path)), response -> {
            assertThat(response.getCode()).isEqualTo(200);
            return EntityUtils.toString(response.getEntity());
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"web", "web-tls"})
    void largeFile_isReceivedCompletely(String service) throws Exception {
        long start = System.nanoTime();
        byte[] received = client.execute(new HttpGet(uri(service, "large")), response -> {
            assertThat(response.getEntity().getContentLength()).isEqualTo((long) FILE_MIB * Software.MIB);
            return digest(response.getEntity().getContent());
        });
        Software.print("nginx, " + service + ": HttpClient, " + Software.rate(FILE_MIB, "MiB", start));
        assertThat(received)
                .isEqualTo(digest(Files.newInputStream(shared.resolve("www").resolve("large"))));
    }

    private static byte[] digest(InputStream content) throws IOException {
        try (DigestInputStream in = new DigestInputStream(content, MessageDigest.getInstance("SHA-256"))) {
            in.transferTo(OutputStream.nullOutputStream());
            return in.getMessageDigest().digest();
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"web", "web-tls"})
    void requests_ofSeveralThreads_reuseTheConnections(String service) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            long start = System.nanoTime();
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(threads.submit(() -> {
                    for (int request = 0; request < REQUESTS / CLIENTS; request++) {
                        assertThat(get(service, "small")).isEqualTo("small");
                    }
                    return null;
                }));
            }
            for (Future<?> each : clients) {
                each.get();
            }
            Software.print("nginx, " + service + ": HttpClient with " + CLIENTS + " threads, "
                    + Software.rate(REQUESTS, "requests", start));
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void serviceName_withoutAPeerId_isFound() throws IOException {
        assertThat(client.<String>execute(
                        new HttpGet("http://web.parley/small"), response -> EntityUtils.toString(response.getEntity())))
                .isEqualTo("small");
    }

    /** A body with a length, and one in chunks, at one connection. */
    @Test
    void posts_ofLargeBodies_areSent() throws IOException {
        byte[] body = new byte[3 * Software.MIB];
        for (int i = 0; i < 3; i++) {
            HttpPost sized = new HttpPost(uri("web", "post"));
            sized.setEntity(new ByteArrayEntity(body, ContentType.APPLICATION_OCTET_STREAM));
            HttpPost chunked = new HttpPost(uri("web", "post"));
            chunked.setEntity(new InputStreamEntity(
                    new java.io.ByteArrayInputStream(body), -1, ContentType.APPLICATION_OCTET_STREAM));
            for (HttpPost post : List.of(sized, chunked)) {
                assertThat(client.<String>execute(post, response -> EntityUtils.toString(response.getEntity())))
                        .isEqualTo("done");
            }
        }
    }

    @Test
    void responseThatEndsWithTheConnection_isFollowedByANewConnection() throws IOException {
        for (int i = 0; i < 5; i++) {
            assertThat(get("web", "close")).isEqualTo("closed");
        }
    }

    @Test
    void serviceThatIsNotThere_isRefused() {
        assertThatThrownBy(() -> get("nothing", "small")).isInstanceOf(ConnectException.class);
    }
}
