package io.parley.examples.software;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;

/** An nginx that serves the files of a directory, by HTTP and by HTTPS. */
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
        String nginx = Software.require("nginx");
        Files.writeString(directory.resolve("server.crt"), certificate.certificatePem());
        Files.writeString(directory.resolve("server.key"), certificate.keyPem());
        int port = ServerProcess.freePort();
        int tlsPort = ServerProcess.freePort();
        // Its workers read files of a directory that belongs to this user.
        String user = "root".equals(System.getProperty("user.name")) ? "user root;" : "";
        Path configuration =
                Files.writeString(directory.resolve("nginx.conf"), """
                %1$s
                daemon off;
                worker_processes 1;
                pid %2$s/nginx.pid;
                error_log stderr warn;
                events { worker_connections 256; }
                http {
                    access_log off;
                    sendfile on;
                    tcp_nopush on;
                    client_max_body_size 0;
                    client_body_temp_path %2$s/body;
                    proxy_temp_path %2$s/proxy;
                    fastcgi_temp_path %2$s/fastcgi;
                    uwsgi_temp_path %2$s/uwsgi;
                    scgi_temp_path %2$s/scgi;
                    server {
                        listen 127.0.0.1:%3$d;
                        listen 127.0.0.1:%4$d ssl;
                        ssl_certificate %2$s/server.crt;
                        ssl_certificate_key %2$s/server.key;
                        root %2$s/www;
                        location /close { keepalive_timeout 0; return 200 "closed"; }
                        location /post {
                            proxy_pass http://127.0.0.1:%3$d/done;
                        }
                        location /done { return 200 "done"; }
                    }
                }
                """.formatted(user, directory, port, tlsPort));
        ServerProcess process = ServerProcess.start(directory, "TERM", List.of(nginx, "-c", configuration.toString()));
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
