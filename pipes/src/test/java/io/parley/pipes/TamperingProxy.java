package io.parley.pipes;

import io.parley.Peer;
import io.parley.transport.PeerAddress;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** A TCP proxy in front of a peer that changes, drops or repeats some of the bytes of both directions. Thread-safe. */
final class TamperingProxy implements AutoCloseable {

    private final int meanBytes;
    private final Random random;
    private final AtomicInteger changes = new AtomicInteger();
    private final LoopbackProxy proxy;
    private final PeerAddress address;
    private volatile boolean honest;

    /** @param meanBytes about the number of bytes from one change to the next one */
    TamperingProxy(Peer target, int meanBytes, long seed) throws IOException {
        this.meanBytes = meanBytes;
        this.random = new Random(seed);
        this.proxy = new LoopbackProxy(
                target.address().addresses().get(0).port(),
                (toTarget, bytes, length, out) -> forward(bytes, length, out));
        this.address = proxy.address(target.id());
    }

    /** Returns the address of the peer behind the proxy. */
    PeerAddress address() {
        return address;
    }

    int changes() {
        return changes.get();
    }

    /** Forwards everything unchanged from now on. */
    void becomeHonest() {
        honest = true;
    }

    private void forward(byte[] bytes, int length, OutputStream out) throws IOException {
        int kind;
        int position;
        synchronized (random) {
            kind = !honest && random.nextInt(meanBytes) < length ? random.nextInt(4) : -1;
            position = random.nextInt(length);
        }
        if (kind >= 0) {
            changes.incrementAndGet();
        }
        switch (kind) {
            case 0 -> { // drops the rest
                out.write(bytes, 0, position);
            }
            case 1 -> { // repeats the rest
                out.write(bytes, 0, length);
                out.write(bytes, position, length - position);
            }
            case 2, 3 -> {
                bytes[position] ^= (byte) (1 << (position % 8));
                out.write(bytes, 0, length);
            }
            default -> out.write(bytes, 0, length);
        }
    }

    @Override
    public void close() {
        proxy.close();
    }
}
