package io.parley.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.internal.PeerCertificateVerifier;
import io.parley.identity.internal.PeerTrustManager;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** TLS 1.3 handshakes in memory, with each pair of the available engines: JDK and BoringSSL. */
class PeerTlsTest {
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
    private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Identity ALICE = Identity.generate();
    private static final Identity BOB = Identity.generate();

    private final List<Object> opened = new ArrayList<>();

    static Stream<Arguments> engines() {
        List<SslProvider> providers =
                OpenSsl.isAvailable() ? List.of(SslProvider.JDK, SslProvider.OPENSSL_REFCNT) : List.of(SslProvider.JDK);
        return providers.stream().flatMap(client -> providers.stream().map(server -> Arguments.of(client, server)));
    }

    @AfterEach
    void release() {
        opened.forEach(ReferenceCountUtil::release);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void handshake_twoPeers_learnEachOther(SslProvider clients, SslProvider servers) throws Exception {
        SSLEngine client = client(clients, ALICE.issueTransportCredential(CLOCK), PeerTrustManager.anyPeer(CLOCK));
        SSLEngine server = server(servers, BOB.issueTransportCredential(CLOCK), PeerTrustManager.anyPeer(CLOCK));
        TestHandshake.run(client, server);
        assertThat(client.getSession().getProtocol()).isEqualTo("TLSv1.3");
        assertThat(PeerCertificateVerifier.authenticate(client.getSession(), CLOCK))
                .isEqualTo(BOB.peerId());
        assertThat(PeerCertificateVerifier.authenticate(server.getSession(), CLOCK))
                .isEqualTo(ALICE.peerId());
    }

    @ParameterizedTest
    @MethodSource("engines")
    void handshake_expectedPeer_isAccepted(SslProvider clients, SslProvider servers) throws Exception {
        SSLEngine client =
                client(clients, ALICE.issueTransportCredential(CLOCK), PeerTrustManager.forPeer(BOB.peerId(), CLOCK));
        SSLEngine server =
                server(servers, BOB.issueTransportCredential(CLOCK), PeerTrustManager.forPeer(ALICE.peerId(), CLOCK));
        TestHandshake.run(client, server);
        assertThat(PeerCertificateVerifier.authenticate(client.getSession(), CLOCK))
                .isEqualTo(BOB.peerId());
    }

    @ParameterizedTest
    @MethodSource("engines")
    void handshake_anotherPeerThanExpected_isRefused(SslProvider clients, SslProvider servers) {
        Identity carol = Identity.generate();
        SSLEngine client =
                client(clients, ALICE.issueTransportCredential(CLOCK), PeerTrustManager.forPeer(carol.peerId(), CLOCK));
        SSLEngine server = server(servers, BOB.issueTransportCredential(CLOCK), PeerTrustManager.anyPeer(CLOCK));
        assertThat(failure(client, server)).contains("peer id: " + BOB.peerId() + " (expected: " + carol.peerId());
    }

    @ParameterizedTest
    @MethodSource("engines")
    void handshake_clientWithoutCertificate_isRefused(SslProvider clients, SslProvider servers) {
        SSLEngine client = client(clients, null, PeerTrustManager.anyPeer(CLOCK));
        SSLEngine server = server(servers, BOB.issueTransportCredential(CLOCK), PeerTrustManager.anyPeer(CLOCK));
        assertThat(failure(client, server))
                .containsAnyOf("Empty client certificate chain", "PEER_DID_NOT_RETURN_A_CERTIFICATE");
    }

    @ParameterizedTest
    @MethodSource("engines")
    void handshake_badChain_isRefusedByEitherSide(SslProvider clients, SslProvider servers) throws Exception {
        Instant begin = NOW.minus(HOUR);
        Instant end = NOW.plus(HOUR);
        Identity mallory = Identity.generate();
        TransportCredential good = mallory.issueTransportCredential(CLOCK);
        KeyPair rsa = TestChains.keys("RSA");
        X509Certificate rsaSelf = TestChains.foreign(rsa, "SHA256withRSA", rsa.getPrivate(), "CN=web", "CN=web", NOW);
        X509Certificate leaf = good.chain().get(0);

        Clock lastWeek = Clock.offset(CLOCK, Duration.ofDays(-7));
        assertRefused(clients, servers, mallory.issueTransportCredential(lastWeek), "expired at 2026-11-15T10:00:00Z");
        Clock nextWeek = Clock.offset(CLOCK, Duration.ofDays(7));
        assertRefused(
                clients,
                servers,
                mallory.issueTransportCredential(nextWeek),
                ": not valid before 2026-11-28T09:00:00Z");
        assertRefused(
                clients,
                servers,
                TestChains.credential(good.key(), leaf, ALICE.certificate()),
                ": unexpected issuer CN=");
        assertRefused(
                clients,
                servers,
                TestChains.issued(mallory, mallory.peerId(), ALICE.peerId(), begin, end),
                ": bound to another peer or purpose");
        assertRefused(
                clients,
                servers,
                TestChains.issued(mallory, mallory.peerId(), mallory.peerId(), begin, end.plus(Duration.ofDays(365))),
                "(expected: <= PT192H)");
        assertRefused(
                clients,
                servers,
                TestChains.credential(good.key(), leaf, mallory.certificate(), ALICE.certificate()),
                "certificate chain: 3 certificates");
        assertRefused(clients, servers, TestChains.credential(good.key(), leaf), "certificate chain: 1 certificates");
        assertRefused(
                clients,
                servers,
                TestChains.credential(rsa.getPrivate(), rsaSelf),
                "certificate chain: 1 certificates");
        assertRefused(
                clients,
                servers,
                TestChains.credential(rsa.getPrivate(), rsaSelf, rsaSelf),
                "identity certificate: key algorithm RSA (expected: Ed25519)");
    }

    private void assertRefused(SslProvider clients, SslProvider servers, TransportCredential bad, String reason) {
        TransportCredential good = BOB.issueTransportCredential(CLOCK);
        PeerTrustManager trust = PeerTrustManager.anyPeer(CLOCK);
        assertThat(failure(client(clients, good, trust), server(servers, bad, trust)))
                .as("server sends the bad chain")
                .contains(reason);
        assertThat(failure(client(clients, bad, trust), server(servers, good, trust)))
                .as("client sends the bad chain")
                .contains(reason);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void authenticate_certificateExpiredSinceHandshake_isRefused(SslProvider clients, SslProvider servers)
            throws Exception {
        SSLEngine client = client(clients, ALICE.issueTransportCredential(CLOCK), PeerTrustManager.anyPeer(CLOCK));
        SSLEngine server = server(servers, BOB.issueTransportCredential(CLOCK), PeerTrustManager.anyPeer(CLOCK));
        TestHandshake.run(client, server);
        Clock tomorrow = Clock.offset(CLOCK, Duration.ofHours(25));
        assertIdentityRefused(server, tomorrow, "expired at");
    }

    @ParameterizedTest
    @MethodSource("engines")
    void authenticate_noCertificate_isRefused(SslProvider clients, SslProvider servers) {
        SSLEngine client = client(clients, null, PeerTrustManager.anyPeer(CLOCK));
        assertIdentityRefused(client, CLOCK, "sent no certificate");
    }

    private static void assertIdentityRefused(SSLEngine engine, Clock clock, String reason) {
        ParleyException e = catchThrowableOfType(
                ParleyException.class, () -> PeerCertificateVerifier.authenticate(engine.getSession(), clock));
        assertThat(e).hasMessageContaining(reason);
        assertThat(e.code()).isEqualTo(ErrorCode.IDENTITY_REFUSED);
    }

    /** Returns all messages of the failures of both engines: one contains the reason, the other only an alert. */
    private static String failure(SSLEngine client, SSLEngine server) {
        Throwable failure = catchThrowable(() -> TestHandshake.run(client, server));
        assertThat(failure).isInstanceOf(SSLException.class);
        StringBuilder messages = new StringBuilder();
        collect(failure, messages);
        return messages.toString();
    }

    private static void collect(Throwable failure, StringBuilder messages) {
        for (Throwable e = failure; e != null; e = e.getCause()) {
            messages.append(e.getMessage()).append('\n');
            for (Throwable later : e.getSuppressed()) {
                collect(later, messages);
            }
        }
    }

    private SSLEngine client(
            SslProvider provider, @Nullable TransportCredential credential, PeerTrustManager trustManager) {
        SslContextBuilder builder = SslContextBuilder.forClient();
        if (credential != null) {
            builder.keyManager(new TestKeyManager(credential.key(), TestChains.chain(credential)));
        }
        return engine(builder.endpointIdentificationAlgorithm(null), provider, trustManager);
    }

    private SSLEngine server(SslProvider provider, TransportCredential credential, PeerTrustManager trustManager) {
        SslContextBuilder builder =
                SslContextBuilder.forServer(new TestKeyManager(credential.key(), TestChains.chain(credential)));
        return engine(builder.clientAuth(ClientAuth.REQUIRE), provider, trustManager);
    }

    private SSLEngine engine(SslContextBuilder builder, SslProvider provider, PeerTrustManager trustManager) {
        try {
            SslContext context = builder.sslProvider(provider)
                    .protocols("TLSv1.3")
                    .trustManager(trustManager)
                    .build();
            SSLEngine engine = context.newEngine(UnpooledByteBufAllocator.DEFAULT);
            opened.add(engine);
            opened.add(context);
            return engine;
        } catch (SSLException e) {
            throw new IllegalStateException("TLS setup failed", e);
        }
    }
}
