package io.parley.examples.software;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A Redis that keeps nothing. */
public final class RedisServer implements AutoCloseable {

    private final ServerProcess process;
    private final int port;

    private RedisServer(ServerProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    public static RedisServer start(Path directory) throws IOException {
        int port = ServerProcess.freePort();
        ServerProcess process = ServerProcess.start(
                directory,
                "TERM",
                List.of(
                        Software.require("redis-server"),
                        "--bind",
                        "127.0.0.1",
                        "--port",
                        Integer.toString(port),
                        "--save",
                        "",
                        "--appendonly",
                        "no",
                        "--dir",
                        directory.toString()));
        return new RedisServer(process.awaitPort(port), port);
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.close();
    }
}
