package io.parley.transport.udp;

import io.parley.common.Scheduler;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The multicast sockets that are open in this JVM. Transports with the same groups, port, hops, interfaces and scheduler
 * share one set of sockets and its event loop, so the number of sockets and threads does not grow with the number of peers.
 * The last transport closes them. Thread-safe.
 */
final class SocketRegistry {

    /** The registry of this JVM. */
    static final SocketRegistry SHARED = new SocketRegistry();

    private record Key(UdpSettings channel, InterfaceSource interfaces, Scheduler scheduler) {

        /** Leaves out the settings of the transport, which do not apply to the sockets. */
        static Key of(UdpSettings settings, InterfaceSource interfaces, Scheduler scheduler) {
            UdpSettings channel = settings.toBuilder()
                    .limits(UdpLimits.DEFAULTS)
                    .clockTolerance(UdpSettings.DEFAULTS.clockTolerance())
                    .build();
            return new Key(channel, interfaces, scheduler);
        }
    }

    private final Map<Key, DualStackSockets> byKey = new HashMap<>();
    private final Map<DualStackSockets, Integer> users = new HashMap<>();

    /** Returns the sockets for these settings, and opens them for the first user. The caller must {@link #release} them. */
    synchronized DualStackSockets acquire(UdpSettings settings, InterfaceSource interfaces, Scheduler scheduler) {
        Key key = Key.of(settings, interfaces, scheduler);
        DualStackSockets sockets = byKey.get(key);
        if (sockets == null || sockets.hasFailed()) { // the cause of a failure may be gone
            sockets = new DualStackSockets(settings, interfaces, scheduler);
            sockets.open(); // first: sockets that got no thread have no user who would release them
            byKey.put(key, sockets);
        }
        users.merge(sockets, 1, Integer::sum);
        return sockets;
    }

    /** Releases the sockets. The future completes after they are closed if the caller was the last user, else at once. */
    CompletableFuture<Void> release(DualStackSockets sockets) {
        synchronized (this) {
            if (users.merge(sockets, -1, Integer::sum) > 0) {
                return CompletableFuture.completedFuture(null);
            }
            users.remove(sockets);
            byKey.values().remove(sockets);
        }
        return sockets.close();
    }

    /** Returns the number of transports that use the sockets of these settings. */
    synchronized int users(UdpSettings settings, InterfaceSource interfaces, Scheduler scheduler) {
        DualStackSockets sockets = byKey.get(Key.of(settings, interfaces, scheduler));
        return sockets == null ? 0 : users.getOrDefault(sockets, 0);
    }
}
