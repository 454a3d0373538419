package io.parley.bench.jmh;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.bench.worker.BlockingCaller;
import io.parley.bench.worker.ContenderRegistry;
import io.parley.bench.worker.TemporaryDirectories;
import java.io.IOException;
import java.nio.file.Files;

/** Both sides of a contender in one JVM. The thread that connects owns the caller. */
final class ConnectedStack implements AutoCloseable {

    private final ProcessLocation location;
    private final MessageCounter counter = new MessageCounter();
    private final Contender.Server server;
    private final ContenderClient client;
    private final BlockingCaller caller;

    private ConnectedStack(Contender contender) throws Exception {
        location = new ProcessLocation(0, Files.createTempDirectory("parley-bench"));
        ReplyDispatcher replies = new ReplyDispatcher();
        server = contender.serve(location, counter);
        client = contender.connect(server.address(), location, replies);
        caller = new BlockingCaller(client, replies);
    }

    /** Connects a contender and prepares messages of {@code bytes} bytes. */
    static ConnectedStack connect(String contender, int bytes) throws Exception {
        ConnectedStack stack = new ConnectedStack(ContenderRegistry.named(contender));
        stack.client.prepare(bytes);
        return stack;
    }

    ContenderClient client() {
        return client;
    }

    /** Sends one message and waits for its echo. */
    void roundTrip() throws Exception {
        caller.roundTrip();
    }

    /** Sends messages one way and waits until the receiver confirms that all have arrived. */
    void flood(long messages) throws Exception {
        client.flood(messages, messages);
        caller.await();
        counter.requireIntact();
    }

    @Override
    public void close() throws IOException {
        client.close();
        server.close();
        TemporaryDirectories.delete(location.home());
    }
}
