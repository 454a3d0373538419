package io.parley.examples.software;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A tinyproxy, an HTTP proxy that connects to one port. */
public final class TinyproxyServer implements AutoCloseable {

    private final ServerProcess process;
    private final int port;
    private final Path log;

    private TinyproxyServer(ServerProcess process, int port, Path log) {
        this.process = process;
        this.port = port;
        this.log = log;
    }

    /** @param connectPort the port to which it connects */
    public static TinyproxyServer start(Path directory, int connectPort) throws IOException {
        String tinyproxy = Software.require("tinyproxy");
        int port = ServerProcess.freePort();
        Path log = directory.resolve("requests.log");
        Path configuration = Files.writeString(
                directory.resolve("tinyproxy.conf"), """
                Port %1$d
                Listen 127.0.0.1
                Allow 127.0.0.1
                MaxClients 20
                Timeout 600
                LogFile "%2$s"
                LogLevel Connect
                PidFile "%3$s/tinyproxy.pid"
                ConnectPort %4$d
                """.formatted(port, log, directory, connectPort));
        ServerProcess process =
                ServerProcess.start(directory, "TERM", List.of(tinyproxy, "-d", "-c", configuration.toString()));
        return new TinyproxyServer(process.awaitPort(port), port, log);
    }

    public int port() {
        return port;
    }

    /** Returns the options of a JVM that uses this proxy for addresses of a scheme, {@code http} or {@code https}, local ones too. */
    public List<String> jvmOptions(String scheme) {
        return List.of(
                "-D" + scheme + ".proxyHost=127.0.0.1", "-D" + scheme + ".proxyPort=" + port, "-Dhttp.nonProxyHosts=");
    }

    /** Returns what it has logged, each request among it. */
    public String log() throws IOException {
        return Files.readString(log);
    }

    @Override
    public void close() {
        process.close();
    }
}
