package io.parley.transport.tcp;

import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The turns of the remote hosts of accepted connections at one event loop. In each iteration of the loop, what they have sent is
 * processed at once for {@link #TURN}. The rest waits, and the hosts take turns at it, so that a message of one host does not wait for
 * a thousand handshakes of another one. A host that has had no turn yet goes first, as new flows do in FQ-CoDel (RFC 8290, section
 * 4.2), so that a short message does not wait for a turn of each busy host either. Confined to the event loop.
 */
final class HostTurns {

    /**
     * The time after which the loop looks for further bytes, if others wait to be processed. It is longer than large messages at 1 GB/s need
     * for {@link FairReadAllocator#TURN_BYTES}: a connection that waits lets the buffers of its sender fill, which costs a third of
     * the rate.
     */
    static final Duration TURN = Duration.ofMillis(2);

    /** The number of turns of hosts without one after which a busy host has a turn, so that ever new hosts do not stop it. */
    static final int MAX_FIRST_IN_ROW = 16;

    private final Executor loop;
    private final Executor afterIteration;
    private final LongSupplier nanoTime;

    /** The waiting tasks of hosts that have had no turn, or none since they were passed over without tasks. The turn of the first host is next. */
    private final Map<String, Queue<Runnable>> first = new LinkedHashMap<>();

    /** The tasks of hosts that have had a turn, with those that have none left. They follow when no host is in {@link #first}, or too many were. */
    private final Map<String, Queue<Runnable>> further = new LinkedHashMap<>();

    private int waiting;
    private int firstInRow;
    private final Runnable onIterationEnd = this::onIterationEnd;
    private final Runnable runWaiting = this::runWaiting;
    private boolean begun;
    private long beginNanos;

    /**
     * @param loop           runs a task in the present iteration, or the next one if the present one ends
     * @param afterIteration runs a task at the end of the present iteration
     */
    HostTurns(Executor loop, Executor afterIteration, LongSupplier nanoTime) {
        this.loop = loop;
        this.afterIteration = afterIteration;
        this.nanoTime = nanoTime;
    }

    static HostTurns of(EventLoop loop, LongSupplier nanoTime) {
        SingleThreadEventLoop thread = (SingleThreadEventLoop) loop; // as all loops of Netty that do I/O
        return new HostTurns(thread, thread::executeAfterEventLoopIteration, nanoTime);
    }

    /** Returns whether bytes may be processed at once. Otherwise the caller must {@link #add} a task that does it. */
    boolean mayRun() {
        long now = nanoTime.getAsLong();
        begin(now);
        return waiting == 0 && now - beginNanos < TURN.toNanos();
    }

    private void begin(long now) {
        if (!begun) {
            begun = true;
            beginNanos = now;
            afterIteration.execute(onIterationEnd);
        }
    }

    /** Runs a task when it is the turn of the host. Call this after {@link #mayRun} only. */
    void add(String host, Runnable task) {
        Queue<Runnable> tasks = further.get(host);
        if (tasks == null) {
            tasks = first.computeIfAbsent(host, added -> new ArrayDeque<>(1));
        }
        tasks.add(task);
        waiting++;
    }

    /** Returns the number of hosts whose turn is remembered. */
    int rememberedHosts() {
        return further.size();
    }

    private void onIterationEnd() {
        begun = false;
        if (waiting > 0) {
            loop.execute(runWaiting); // after the loop has looked for further bytes
        } else {
            further.clear();
        }
    }

    private void runWaiting() {
        long start = nanoTime.getAsLong();
        try {
            for (long now = start; waiting > 0 && now - start < TURN.toNanos(); now = nanoTime.getAsLong()) {
                runNext();
            }
        } finally {
            begin(start); // if nothing waits, so that the turns are forgotten
        }
    }

    /** Runs the next task of the next host that has one. */
    private void runNext() {
        Runnable task = null;
        while (task == null) {
            boolean fromFirst = further.isEmpty() || (!first.isEmpty() && firstInRow < MAX_FIRST_IN_ROW);
            Iterator<Map.Entry<String, Queue<Runnable>>> hosts =
                    (fromFirst ? first : further).entrySet().iterator();
            Map.Entry<String, Queue<Runnable>> next = hosts.next();
            String host = next.getKey();
            Queue<Runnable> tasks = next.getValue();
            hosts.remove();
            task = tasks.poll();
            if (task != null) {
                further.put(host, tasks);
                firstInRow =
                        fromFirst ? firstInRow + 1 : 0; // not for a host without tasks, so that these are forgotten
            }
        }
        waiting--;
        task.run();
    }
}
