package io.parley.bench.worker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A TCP proxy on loopback that counts the bytes of each direction: the bytes that a contender writes above TCP. The
 * proxy slows its contender down, so it must not be used to measure time.
 */
final class ByteCountingProxy implements AutoCloseable {

    private static final int COPY_BYTES = 64 << 10;

    private final LoopbackProxy proxy;
    private final AtomicLong toTarget = new AtomicLong();
    private final AtomicLong fromTarget = new AtomicLong();

    private ByteCountingProxy() throws IOException {
        this.proxy =
                LoopbackProxy.open((from, to, towardsTarget) -> copy(from, to, towardsTarget ? toTarget : fromTarget));
    }

    static ByteCountingProxy open() throws IOException {
        return new ByteCountingProxy();
    }

    int port() {
        return proxy.port();
    }

    /** Sets the port to which the proxy connects. Connections accepted earlier wait for this call. */
    void target(int port) {
        proxy.target(port);
    }

    /** Returns the bytes sent to and received from the target so far. */
    Bytes bytes() {
        return new Bytes(toTarget.get(), fromTarget.get());
    }

    private static void copy(Socket from, Socket to, AtomicLong counter) throws IOException {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        byte[] buffer = new byte[COPY_BYTES];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            counter.addAndGet(read);
            out.write(buffer, 0, read);
        }
    }

    @Override
    public void close() throws IOException {
        proxy.close();
    }

    /** The byte counts of both directions. */
    record Bytes(long toTarget, long fromTarget) {}
}
