package io.parley.pipes;

import io.parley.Peer;
import io.parley.transport.PeerAddress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A TCP proxy in front of a peer that records the bytes of each direction. Thread-safe. */
public final class RecordingProxy implements AutoCloseable {

    private final ByteArrayOutputStream toTarget = new ByteArrayOutputStream();
    private final ByteArrayOutputStream fromTarget = new ByteArrayOutputStream();
    private final LoopbackProxy proxy;
    private final PeerAddress address;

    RecordingProxy(Peer target) throws IOException {
        this.proxy = new LoopbackProxy(target.address().addresses().get(0).port(), (isToTarget, bytes, length, out) -> {
            ByteArrayOutputStream recorded = isToTarget ? toTarget : fromTarget;
            synchronized (recorded) {
                recorded.write(bytes, 0, length);
            }
            out.write(bytes, 0, length);
        });
        this.address = proxy.address(target.id());
    }

    /** Returns the address of the peer behind the proxy. */
    public PeerAddress address() {
        return address;
    }

    /** Returns whether the bytes of one direction contain these. */
    public boolean contains(byte[] bytes) {
        return contains(toTarget, bytes) || contains(fromTarget, bytes);
    }

    private static boolean contains(ByteArrayOutputStream recorded, byte[] bytes) {
        synchronized (recorded) {
            return recorded.toString(StandardCharsets.ISO_8859_1)
                    .contains(new String(bytes, StandardCharsets.ISO_8859_1));
        }
    }

    public boolean contains(String text) {
        return contains(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        proxy.close();
    }
}
