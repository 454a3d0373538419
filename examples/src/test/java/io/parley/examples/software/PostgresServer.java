package io.parley.examples.software;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL with an empty database, without the writes to the disk that protect it from a crash of the machine. */
public final class PostgresServer implements AutoCloseable {

    public static final String USER = "parley";
    public static final String PASSWORD = "not secret";
    public static final String DATABASE = "postgres";

    /** It refuses to run as root. */
    private static final @Nullable String SYSTEM_USER =
            "root".equals(System.getProperty("user.name")) ? "postgres" : null;

    private final SoftwareDirectory directory;
    private final ServerProcess process;
    private final int port;

    private PostgresServer(SoftwareDirectory directory, ServerProcess process, int port) {
        this.directory = directory;
        this.process = process;
        this.port = port;
    }

    /** Starts a server that allows TLS with that certificate. */
    public static PostgresServer start(ServerCertificate certificate)
            throws IOException, InterruptedException, GeneralSecurityException {
        String initdb = Software.require("initdb");
        String postgres = Software.require("postgres");
        SoftwareDirectory directory = SoftwareDirectory.create("parley-postgres", SYSTEM_USER);
        try {
            Path data = directory.path().resolve("data");
            Path password = directory.write("password", PASSWORD + "\n");
            Path certificateFile = directory.write("server.crt", certificate.certificatePem());
            Path keyFile = directory.write("server.key", certificate.keyPem());
            Software.run(
                    new ProcessBuilder(ServerProcess.asUser(
                                    SYSTEM_USER,
                                    "KILL",
                                    List.of(
                                            initdb,
                                            "--pgdata=" + data,
                                            "--username=" + USER,
                                            "--pwfile=" + password,
                                            "--auth=scram-sha-256",
                                            "--encoding=UTF8",
                                            "--locale=C",
                                            "--no-sync",
                                            "--no-instructions")))
                            .directory(directory.path().toFile()),
                    Duration.ofSeconds(90));
            int port = ServerProcess.freePort();
            ServerProcess process = ServerProcess.startAs(
                    SYSTEM_USER,
                    directory.path(),
                    "INT",
                    List.of(
                            postgres,
                            "-D",
                            data.toString(),
                            "-p",
                            Integer.toString(port),
                            "-c",
                            "listen_addresses=127.0.0.1",
                            "-c",
                            "unix_socket_directories=",
                            "-c",
                            "ssl=on",
                            "-c",
                            "ssl_cert_file=" + certificateFile,
                            "-c",
                            "ssl_key_file=" + keyFile,
                            "-c",
                            "fsync=off",
                            "-c",
                            "max_wal_size=256MB"));
            PostgresServer server = new PostgresServer(directory, process, port);
            process.await(server::isReady);
            return server;
        } catch (Throwable e) {
            directory.close();
            throw e;
        }
    }

    /** A connection alone proves nothing: the server accepts one before it serves it. */
    private boolean isReady() {
        try (Connection connection = DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + port + "/" + DATABASE + "?sslmode=disable", USER, PASSWORD)) {
            return connection.isValid(0);
        } catch (SQLException e) {
            return false;
        }
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.close();
        directory.close();
    }
}
