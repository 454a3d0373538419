package io.parley.endpoint.internal;

import io.parley.common.internal.HostPrefix;
import io.parley.endpoint.EndpointLimits;
import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;

/**
 * The memory budgets of an endpoint: the process, which all endpoints of the JVM share; the endpoint; a host; a peer on that host;
 * a connection. A reservation of a connection is charged to all five. The budget of a peer belongs to a host, so a peer that
 * claims the id of another peer over a transport without authentication uses no memory of that peer. A budget exists while there
 * is a connection or an unreleased message, so a peer gets no more memory by reconnecting. Thread-safe.
 */
final class BudgetTree {

    private static final long MIN_PROCESS_BYTES = 128L * 1024 * 1024;

    /** Three quarters of the heap: more is not available, whatever the limits of the endpoints permit. */
    private static final MemoryBudget PROCESS = MemoryBudget.root(
            "maximum heap size (-Xmx)",
            Math.max(MIN_PROCESS_BYTES, Runtime.getRuntime().maxMemory() / 4 * 3));

    private final MemoryBudget endpoint;
    private final long peerBytes;

    /** Creates the budgets of an endpoint in the budget of the process. */
    BudgetTree(EndpointLimits limits) {
        this(limits, PROCESS);
    }

    BudgetTree(EndpointLimits limits, MemoryBudget process) {
        this.endpoint = process.newChild("totalMemoryBytes", limits.totalMemoryBytes());
        this.peerBytes = limits.peerMemoryBytes();
    }

    /** Returns the budget of all remote peers of the endpoint together. */
    MemoryBudget total() {
        return endpoint;
    }

    /**
     * Returns the budget of a new connection. The caller must close it.
     *
     * @param onShortage called on any thread when the connection should give memory back; must not block
     */
    MemoryBudget newConnection(EndpointAddress address, PeerId peer, Runnable onShortage) {
        return endpoint.newLeaf(HostPrefix.of(address.host()), peer, "peerMemoryBytes", peerBytes, onShortage);
    }

    /** Removes the endpoint from the process when nothing is reserved. */
    void close() {
        endpoint.close();
    }
}
