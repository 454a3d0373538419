package io.parley.transport.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.pkitesting.X509Bundle;
import io.parley.transport.EndpointAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

/** Forwards the bytes of each connection: an HTTP proxy, or a reverse proxy that ends TLS. */
final class ForwardingServer implements AutoCloseable {

    /** Returns where the bytes of an accepted connection go, after reading as much as it needs. */
    @FunctionalInterface
    private interface Target {
        Socket connect(Socket accepted, List<String> requests) throws IOException;
    }

    private final ServerSocket server;
    private final Target target;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Socket> accepted = new CopyOnWriteArrayList<>();
    private final List<Socket> connected = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();

    private ForwardingServer(ServerSocket server, Target target) {
        this.server = server;
        this.target = target;
        threads.execute(this::acceptAll);
    }

    /** A proxy that understands CONNECT alone. */
    static ForwardingServer httpProxy() throws IOException {
        return new ForwardingServer(
                new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), ForwardingServer::connectByRequest);
    }

    private static Socket connectByRequest(Socket accepted, List<String> requests) throws IOException {
        StringBuilder request = new StringBuilder();
        while (request.indexOf("\r\n\r\n") < 0) {
            request.append((char) accepted.getInputStream().read());
        }
        requests.add(request.toString());
        String authority = request.toString().split(" ", 3)[1];
        int colon = authority.lastIndexOf(':');
        Socket socket = new Socket(authority.substring(0, colon), Integer.parseInt(authority.substring(colon + 1)));
        accepted.getOutputStream().write("HTTP/1.1 200 Connected\r\n\r\n".getBytes(ISO_8859_1));
        return socket;
    }

    /** A reverse proxy with this certificate in front of a port of this machine. */
    static ForwardingServer tls(X509Bundle certificate, int port) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(certificate.toKeyManagerFactory().getKeyManagers(), null, null);
        ServerSocket server =
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        return new ForwardingServer(server, (accepted, requests) -> new Socket(InetAddress.getLoopbackAddress(), port));
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    EndpointAddress httpsAddress() {
        return new EndpointAddress(
                "https", address().getAddress().getHostAddress(), address().getPort());
    }

    /** Returns the requests that a proxy has got. */
    List<String> requests() {
        return requests;
    }

    private void acceptAll() {
        try {
            while (true) {
                Socket socket = server.accept();
                accepted.add(socket);
                threads.execute(() -> forward(socket));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void forward(Socket near) {
        try (near;
                Socket far = target.connect(near, requests)) {
            connected.add(far);
            CompletableFuture<Void> back = CompletableFuture.runAsync(() -> copy(far, near), threads);
            copy(near, far);
            back.join();
        } catch (IOException e) {
            // closed, or a failed handshake
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            in.transferTo(out);
            to.shutdownOutput();
        } catch (IOException e) {
            // closed
        }
    }

    /** Ends the connections to the dialers in the way of their protocol, TLS or TCP. */
    void endConnections() throws IOException {
        for (Socket socket : accepted) {
            socket.close();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : accepted) {
            socket.close();
        }
        for (Socket socket : connected) {
            socket.close();
        }
        threads.shutdown();
    }
}
