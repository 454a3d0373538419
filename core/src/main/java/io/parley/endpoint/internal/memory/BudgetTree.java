package io.parley.endpoint.internal.memory;

import io.parley.common.internal.HostPrefix;
import io.parley.endpoint.EndpointLimits;
import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;

/**
 * The memory budgets of an endpoint: the process, which all endpoints of the JVM share; the endpoint; a host; a peer on that host;
 * a connection. A reservation of a connection is charged to all five. The budget of a peer belongs to a host, so a peer that
 * claims the id of another peer over a transport without authentication uses no memory of that peer. A budget exists while there
 * is a connection or an unreleased message, so a peer gets no more memory by reconnecting.
 *
 * <p>Hosts that are present may hold all memory of the endpoint, and unread messages cannot be taken back from them. So an endpoint has
 * a small reserve beyond its limit, from which only hosts with little memory get some. A host that comes late therefore finds
 * memory. Thread-safe.
 */
public final class BudgetTree {

    /** The part of the memory of an endpoint that hosts with little memory get beyond the limit: a sixteenth. */
    private static final int RESERVE_DIVISOR = 16;

    /** The number of hosts for which the reserve is enough. By default each gets 256 KiB, more than a frame and several windows. */
    private static final int RESERVE_HOSTS = 32;

    /** The smallest default memory of an endpoint, and its reserve. */
    private static final long MIN_PROCESS_BYTES = 136L * 1024 * 1024;

    /** Three quarters of the heap: more is not available, whatever the limits of the endpoints permit. */
    private static final MemoryBudget PROCESS = MemoryBudget.root(
            "maximum heap size (-Xmx)",
            Math.max(MIN_PROCESS_BYTES, Runtime.getRuntime().maxMemory() / 4 * 3));

    private final MemoryBudget endpoint;
    private final long peerBytes;

    /** Creates the budgets of an endpoint in the budget of the process. */
    public BudgetTree(EndpointLimits limits) {
        this(limits, PROCESS);
    }

    BudgetTree(EndpointLimits limits, MemoryBudget process) {
        long reserve = limits.totalMemoryBytes() / RESERVE_DIVISOR;
        this.endpoint = process.newChild(
                "totalMemoryBytes",
                limits.totalMemoryBytes(),
                reserve,
                Math.max(reserve / RESERVE_HOSTS, EndpointLimits.MIN_WINDOW_BYTES));
        this.peerBytes = limits.peerMemoryBytes();
    }

    /** Returns the budget of all remote peers of the endpoint together. */
    public MemoryBudget total() {
        return endpoint;
    }

    /**
     * Returns the budget of a new connection. The caller must close it.
     *
     * @param onShortage called on any thread when the connection should give memory back; must not block
     */
    public MemoryBudget newConnection(EndpointAddress address, PeerId peer, Runnable onShortage) {
        return endpoint.newLeaf(HostPrefix.of(address.host()), peer, "peerMemoryBytes", peerBytes, onShortage);
    }

    /** Removes the endpoint from the process when nothing is reserved. */
    public void close() {
        endpoint.close();
    }
}
