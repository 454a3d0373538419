package io.parley.testkit.transport;

import io.parley.testkit.Eventually;
import io.parley.transport.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Starts a {@link RecordingListener} on each accepted connection. Thread-safe. */
public final class ConnectionAcceptor implements Consumer<Connection> {

    private final Consumer<RecordingListener> prepare;
    private final List<RecordingListener> accepted = new CopyOnWriteArrayList<>();
    private int polled;

    /** @param prepare called on the executor of the connection before it is started */
    public ConnectionAcceptor(Consumer<RecordingListener> prepare) {
        this.prepare = prepare;
    }

    /** Records without further preparation. */
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

    /** Waits for the next connection, in the order of acceptance, and returns its listener. */
    public synchronized RecordingListener next() {
        Eventually.until(() -> "no connection has been accepted", () -> accepted.size() > polled);
        return accepted.get(polled++);
    }

    /** Returns the listeners of all connections so far. */
    public List<RecordingListener> all() {
        return List.copyOf(accepted);
    }

    /** Returns the number of open connections. */
    public long open() {
        return accepted.stream().filter(listener -> !listener.closed().isDone()).count();
    }
}
