package io.parley.examples.software;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;

/** An nginx that serves the files of a directory, or is a reverse proxy, by HTTP and by HTTPS. */
public final class NginxServer implements AutoCloseable {

    private final ServerProcess process;
    private final int port;
    private final int tlsPort;

    private NginxServer(ServerProcess process, int port, int tlsPort) {
        this.process = process;
        this.port = port;
        this.tlsPort = tlsPort;
    }

    /** Starts a server of the files in the subdirectory {@code www}. */
    public static NginxServer start(Path directory, ServerCertificate certificate)
            throws IOException, GeneralSecurityException {
        return start(directory, certificate, """
                server {
                    ${listen}
                    ${listenTls}
                    ${certificate}
                    root ${directory}/www;
                    location /close { keepalive_timeout 0; return 200 "closed"; }
                    location /post {
                        proxy_pass http://127.0.0.1:${port}/done;
                    }
                    location /done { return 200 "done"; }
                }
                """);
    }

    /**
     * Starts a server that is configured by text, in which these words are replaced: ${port}, ${directory}, and with the directives for
     * them ${listen}, ${listenTls} and ${certificate}.
     */
    public static NginxServer start(Path directory, ServerCertificate certificate, String servers)
            throws IOException, GeneralSecurityException {
        String nginx = Software.require("nginx");
        Files.writeString(directory.resolve("server.crt"), certificate.certificatePem());
        Files.writeString(directory.resolve("server.key"), certificate.keyPem());
        int port = ServerProcess.freePort();
        int tlsPort = ServerProcess.freePort();
        // Its workers read files of a directory that belongs to this user.
        String user = "root".equals(System.getProperty("user.name")) ? "user root;" : "";
        String configuration = """
                ${user}
                daemon off;
                worker_processes 1;
                pid ${directory}/nginx.pid;
                error_log stderr warn;
                events { worker_connections 256; }
                http {
                    access_log off;
                    sendfile on;
                    tcp_nopush on;
                    client_max_body_size 0;
                    client_body_temp_path ${directory}/body;
                    proxy_temp_path ${directory}/proxy;
                    fastcgi_temp_path ${directory}/fastcgi;
                    uwsgi_temp_path ${directory}/uwsgi;
                    scgi_temp_path ${directory}/scgi;
                    ${servers}
                }
                """.replace("${servers}", servers)
                .replace("${user}", user)
                .replace("${listen}", "listen 127.0.0.1:" + port + ";")
                .replace("${listenTls}", "listen 127.0.0.1:" + tlsPort + " ssl;")
                .replace(
                        "${certificate}",
                        "ssl_certificate ${directory}/server.crt; ssl_certificate_key ${directory}/server.key;")
                .replace("${directory}", directory.toString())
                .replace("${port}", Integer.toString(port));
        Path file = Files.writeString(directory.resolve("nginx.conf"), configuration);
        ServerProcess process = ServerProcess.start(directory, "TERM", List.of(nginx, "-c", file.toString()));
        return new NginxServer(process.awaitPort(port).awaitPort(tlsPort), port, tlsPort);
    }

    public int port() {
        return port;
    }

    public int tlsPort() {
        return tlsPort;
    }

    @Override
    public void close() {
        process.close();
    }
}
