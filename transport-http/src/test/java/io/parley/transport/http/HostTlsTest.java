package io.parley.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslContext;
import io.parley.testkit.Eventually;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;

class HostTlsTest {

    @Test
    void load_doesNotWaitForTheCommonPool() throws Exception {
        int threads = ForkJoinPool.getCommonPoolParallelism();
        CountDownLatch busy = new CountDownLatch(threads);
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < threads; i++) {
            ForkJoinPool.commonPool().execute(() -> {
                busy.countDown();
                Eventually.latch(end, "the end of the test");
            });
        }
        try {
            Eventually.latch(busy, "the tasks of the common pool");
            HostTls tls = new HostTls();
            CompletableFuture<SslContext> loading = tls.load();
            assertThat(tls.load()).isSameAs(loading);
            assertThat(Eventually.get(loading, "the TLS of hosts").isClient()).isTrue();
        } finally {
            end.countDown();
        }
    }
}
