package io.parley.examples;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server of the JDK, which knows nothing of Parley. A request is answered with its body, or "hello" if it has none. */
final class PlainServer implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private PlainServer(HttpServer server) {
        this.server = server;
    }

    static PlainServer start() throws IOException {
        PlainServer plain =
                new PlainServer(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50));
        plain.server.createContext("/", exchange -> {
            byte[] request = exchange.getRequestBody().readAllBytes();
            byte[] response = request.length == 0 ? "hello".getBytes() : request;
            exchange.sendResponseHeaders(200, response.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(response);
            }
        });
        plain.server.setExecutor(plain.threads);
        plain.server.start();
        return plain;
    }

    int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
