package io.parley.endpoint.internal.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.handler.ssl.SslProvider;
import io.parley.common.Scheduler;
import io.parley.identity.Identity;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tls.TlsHandlerFactory;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two TLS sessions that exchange their records through buffers. */
@Timeout(60)
class TlsSessionTest {

    private SslProvider provider;
    private final ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
    private final TlsHandlerFactory tls = new TlsHandlerFactory(
            new TransportContext(
                    Identity.generate(),
                    TransportSecurity.PLAINTEXT,
                    TransportLimits.DEFAULTS,
                    new EndpointMetrics(),
                    Scheduler.system()),
            () -> provider);

    @AfterEach
    void close() {
        tls.close();
    }

    @ParameterizedTest
    @CsvSource({"OPENSSL_REFCNT", "JDK"})
    void twoSessions_exchangeContent_andRejectWhatWasChanged(SslProvider used) throws Exception {
        provider = used;
        TlsSession client = new TlsSession(tls.newEngine(true, allocator));
        TlsSession server = new TlsSession(tls.newEngine(false, allocator));
        ByteBuf toServer = allocator.ioBuffer(0);
        ByteBuf toClient = allocator.ioBuffer(0);
        ByteBuf plain = allocator.ioBuffer(0);
        try {
            client.begin();
            client.writeHandshake(toServer);
            for (int i = 0; i < 5; i++) {
                server.open(toServer, plain, toClient, null);
                client.open(toClient, plain, toServer, null);
            }
            assertThat(client.isHandshakeDone()).isTrue();
            assertThat(server.isHandshakeDone()).isTrue();
            assertThat(plain.isReadable()).isFalse();

            byte[] content = new byte[100_000];
            content[77_777] = 7;
            ByteBuf sent = allocator.ioBuffer(content.length).writeBytes(content);
            client.seal(sent, toServer);
            sent.release();
            assertThat(toServer.readableBytes()).isLessThan(content.length + 20 * 30);
            server.open(toServer, plain, toClient, null);
            byte[] received = new byte[plain.readableBytes()];
            plain.readBytes(received);
            assertThat(received).isEqualTo(content);

            ByteBuf next = allocator.ioBuffer(10).writeZero(10);
            client.seal(next, toServer);
            next.release();
            toServer.setByte(toServer.writerIndex() - 1, toServer.getByte(toServer.writerIndex() - 1) ^ 1);
            assertThatThrownBy(() -> server.open(toServer, plain, toClient, new byte[1]))
                    .isInstanceOf(SSLException.class);
        } finally {
            toServer.release();
            toClient.release();
            plain.release();
            client.release();
            server.release();
        }
    }
}
