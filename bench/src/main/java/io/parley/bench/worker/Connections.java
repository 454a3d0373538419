package io.parley.bench.worker;

import io.parley.bench.contender.ComposedContenderClient;
import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The connections of a connecting process to its server: one, or as many as a measurement needs. Not thread-safe. */
final class Connections implements AutoCloseable {

    private final Contender contender;
    private final String address;
    private final ProcessLocation location;
    private final List<Entry> open = new ArrayList<>();

    private Connections(Contender contender, String address, ProcessLocation location) {
        this.contender = contender;
        this.address = address;
        this.location = location;
    }

    /** Opens the first connection. */
    static Connections open(Contender contender, String address, ProcessLocation location) throws Exception {
        Connections connections = new Connections(contender, address, location);
        connections.resize(1);
        return connections;
    }

    /** Opens or closes connections until there are {@code count}. */
    void resize(int count) throws Exception {
        while (open.size() < count) {
            ReplyDispatcher replies = new ReplyDispatcher();
            open.add(new Entry(contender.connect(address, location, replies), replies));
        }
        while (open.size() > count) {
            open.remove(open.size() - 1).client().close();
        }
    }

    /** Prepares messages of {@code bytes} bytes in {@code elements} elements on each connection. */
    void prepare(int bytes, int elements) throws Exception {
        for (Entry entry : open) {
            if (elements == 1) {
                entry.client().prepare(bytes);
            } else if (entry.client() instanceof ComposedContenderClient client) {
                client.prepare(bytes, elements);
            } else {
                throw new IllegalStateException("client: has no messages with several elements");
            }
        }
    }

    /** Returns all connections. */
    List<Entry> all() {
        return open;
    }

    /** Returns the first connection. */
    Entry first() {
        return open.get(0);
    }

    @Override
    public void close() throws IOException {
        for (Entry entry : open) {
            entry.client().close();
        }
    }

    /** A connection and its replies. */
    record Entry(ContenderClient client, ReplyDispatcher replies) {}
}
