package io.parley.bench.netty;

import io.netty.handler.ssl.SslContext;
import org.jspecify.annotations.Nullable;

/** The variant of raw Netty that a contender measures. */
record NettyOptions(boolean tls, FrameLayout layout, MemoryMode memory, IdleStrategy idle) {

    static final NettyOptions DEFAULTS =
            new NettyOptions(false, FrameLayout.LENGTH, MemoryMode.UNTOUCHED, IdleStrategy.SLEEP);

    NettyOptions withTls() {
        return new NettyOptions(true, layout, memory, idle);
    }

    NettyOptions withWebSocket() {
        return new NettyOptions(tls, FrameLayout.WEB_SOCKET, memory, idle);
    }

    NettyOptions withArrays() {
        return new NettyOptions(tls, layout, MemoryMode.ARRAYS, idle);
    }

    NettyOptions withSpin() {
        return new NettyOptions(tls, layout, memory, IdleStrategy.SPIN);
    }

    @Nullable
    SslContext serverTls() throws Exception {
        return tls ? TlsContextFactory.server() : null;
    }

    @Nullable
    SslContext clientTls() throws Exception {
        return tls ? TlsContextFactory.client() : null;
    }

    /** Returns the choices at run time, for the details of a contender. */
    String details() {
        String loops = NettyIo.best().label() + ", " + idle.label();
        return tls ? loops + ", " + TlsContextFactory.label() : loops;
    }
}
