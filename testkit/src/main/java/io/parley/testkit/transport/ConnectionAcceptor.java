package io.parley.testkit.transport;

import io.parley.testkit.Eventually;
import io.parley.transport.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Takes accepted connections and starts a {@link RecordingListener} on each. Safe from any thread. */
public final class ConnectionAcceptor implements Consumer<Connection> {

    private final Consumer<RecordingListener> prepare;
    private final List<RecordingListener> accepted = new CopyOnWriteArrayList<>();
    private int taken;

    /** @param prepare called on the connection's executor, before it is started */
    public ConnectionAcceptor(Consumer<RecordingListener> prepare) {
        this.prepare = prepare;
    }

    /** Just records. */
    public ConnectionAcceptor() {
        this(listener -> {});
    }

    @Override
    public void accept(Connection connection) {
        RecordingListener listener = new RecordingListener(connection);
        prepare.accept(listener);
        listener.start();
        accepted.add(listener);
    }

    /** The next connection, in the order in which they came. */
    public synchronized RecordingListener next() {
        Eventually.until(() -> "no connection has been accepted", () -> accepted.size() > taken);
        return accepted.get(taken++);
    }

    /** All that have come so far. */
    public List<RecordingListener> all() {
        return List.copyOf(accepted);
    }

    /** How many of them are open. */
    public long open() {
        return accepted.stream().filter(listener -> !listener.closed().isDone()).count();
    }
}
