package io.parley.bench.netty;

import io.netty.handler.ssl.SslContext;
import org.jspecify.annotations.Nullable;

/** The variant of raw Netty that a contender measures. */
record NettyOptions(boolean tls, Framing framing, MemoryMode memory, IdleStrategy idle) {

    static final NettyOptions DEFAULTS =
            new NettyOptions(false, Framing.LENGTH, MemoryMode.UNTOUCHED, IdleStrategy.SLEEP);

    NettyOptions withTls() {
        return new NettyOptions(true, framing, memory, idle);
    }

    NettyOptions withWebSocket() {
        return new NettyOptions(tls, Framing.WEB_SOCKET, memory, idle);
    }

    NettyOptions withArrays() {
        return new NettyOptions(tls, framing, MemoryMode.ARRAYS, idle);
    }

    NettyOptions withSpin() {
        return new NettyOptions(tls, framing, memory, IdleStrategy.SPIN);
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
