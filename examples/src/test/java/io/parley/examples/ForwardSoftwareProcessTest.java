package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.examples.software.NginxServer;
import io.parley.examples.software.PostgresServer;
import io.parley.examples.software.RedisServer;
import io.parley.examples.software.ServerCertificate;
import io.parley.examples.software.Software;
import io.parley.examples.software.SshServer;
import io.parley.identity.Identity;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs that know only TCP, and real servers, through {@code parley forward} and {@code parley socks}: psql and pgbench, redis-benchmark,
 * curl, ssh and scp. {@link ForwardProcessTest} has the HTTP client and server of the JDK.
 */
@Tag("process")
@Tag("software")
@Timeout(900)
class ForwardSoftwareProcessTest {

    /** The short form has several windows of a socket. */
    private static final int FILE_MIB = Software.number("fileMib", 12);

    private static final int REQUESTS = Software.number("benchmarkRequests", 3000);
    private static final int TRANSACTIONS = Software.number("benchTransactions", 200);
    private static final int CLIENTS = 4;

    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    /** The long form measures, and so its processes compile thoroughly. */
    private static final List<String> JVM = Software.number("tier", 1) == 1
            ? List.of()
            : List.of("-XX:TieredStopAtLevel=" + Software.number("tier", 1));

    @TempDir
    private static Path shared;

    private static @Nullable ServerCertificate certificate;

    @TempDir
    private Path directory;

    /** The files of a client, which is not on the machine of the server. */
    private Path here;

    @BeforeEach
    void createDirectory() throws IOException {
        here = Files.createDirectory(directory.resolve("client"));
    }

    /** Returns the certificate of all servers, whose creation takes a JVM. */
    private static ServerCertificate certificate() throws Exception {
        ServerCertificate created = certificate;
        if (created == null) {
            created = ServerCertificate.create(shared, List.of("localhost"));
            certificate = created;
        }
        return created;
    }

    /** A TCP port here that leads through two processes to another one. */
    private record Tunnel(ParleyProcess serve, ParleyProcess connect, int port) implements AutoCloseable {

        static Tunnel open(Path directory, String service, int target) throws IOException, InterruptedException {
            ParleyProcess serve = ParleyProcess.startWith(
                    directory,
                    JVM,
                    "forward",
                    "serve",
                    service,
                    "127.0.0.1:" + target,
                    "--ticket",
                    "--home",
                    "home-of-" + service,
                    "--address",
                    ParleyProcess.ANY_PORT,
                    "--json");
            try {
                String ticket = ParleyProcess.field(ForwardProcessTest.ready(serve), "ticket");
                ParleyProcess connect = ParleyProcess.startWith(directory, JVM, "forward", "connect", ticket, "--json");
                try {
                    return new Tunnel(serve, connect, ForwardProcessTest.port(ForwardProcessTest.ready(connect)));
                } catch (Throwable e) {
                    connect.close();
                    throw e;
                }
            } catch (Throwable e) {
                serve.close();
                throw e;
            }
        }

        @Override
        public void close() {
            assertThat(connect.isAlive()).as("connect: %s", connect.errors()).isTrue();
            assertThat(serve.isAlive()).as("serve: %s", serve.errors()).isTrue();
            connect.close();
            serve.close();
        }
    }

    private String run(List<String> command) throws IOException, InterruptedException {
        return Software.run(new ProcessBuilder(command).directory(here.toFile()), TIMEOUT);
    }

    private static Path write(Path file, int mib) throws IOException {
        Random random = new Random(mib);
        byte[] mebibyte = new byte[Software.MIB];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < mib; i++) {
                random.nextBytes(mebibyte);
                out.write(mebibyte);
            }
        }
        return file;
    }

    private static List<String> with(List<String> command, String... operands) {
        List<String> line = new ArrayList<>(command);
        line.addAll(List.of(operands));
        return line;
    }

    // -- PostgreSQL

    private String runWithPassword(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(here.toFile());
        builder.environment().put("PGPASSWORD", PostgresServer.PASSWORD);
        builder.environment().put("PGSSLMODE", "prefer"); // the client speaks TLS through the tunnel
        return Software.run(builder, TIMEOUT);
    }

    private static List<String> postgresClient(String program, int port) {
        return List.of(
                Software.require(program), "-h", "127.0.0.1", "-p", Integer.toString(port), "-U", PostgresServer.USER);
    }

    @Test
    void psqlAndPgbench_throughForward() throws Exception {
        Software.require("psql");
        try (PostgresServer server = PostgresServer.start(certificate());
                Tunnel tunnel = Tunnel.open(directory, "db", server.port())) {
            List<String> psql = with(
                    postgresClient("psql", tunnel.port()),
                    "-X",
                    "-q",
                    "-A",
                    "-t",
                    "-v",
                    "ON_ERROR_STOP=1",
                    "-d",
                    "postgres");
            assertThat(runWithPassword(
                            with(psql, "-c", "SELECT ssl, 6 * 7 FROM pg_stat_ssl WHERE pid = pg_backend_pid()")))
                    .isEqualTo("t|42\n");
            Path table = here.resolve("table");
            runWithPassword(with(
                    psql,
                    "-c",
                    "CREATE TABLE t AS SELECT i, repeat('x', 100) AS x FROM generate_series(1, 50000) i",
                    "-c",
                    "\\copy t TO '" + table + "'",
                    "-c",
                    "CREATE TABLE u (LIKE t)",
                    "-c",
                    "\\copy u FROM '" + table + "'"));
            assertThat(runWithPassword(
                            with(psql, "-c", "SELECT count(*), sum(i) FROM (TABLE t INTERSECT TABLE u) AS common")))
                    .isEqualTo("50000|1250025000\n");

            List<String> pgbench = postgresClient("pgbench", tunnel.port());
            runWithPassword(with(pgbench, "-i", "-I", "dtgp", "-q", "-s", "1", "postgres"));
            String output = runWithPassword(with(
                    pgbench,
                    "-c",
                    Integer.toString(CLIENTS),
                    "-j",
                    "2",
                    "-t",
                    Integer.toString(TRANSACTIONS / CLIENTS),
                    "postgres"));
            assertThat(output)
                    .contains("number of transactions actually processed: " + TRANSACTIONS + "/" + TRANSACTIONS);
            output.lines()
                    .filter(line -> line.startsWith("tps"))
                    .forEach(line -> Software.print(
                            "forward: pgbench, " + CLIENTS + " clients, " + TRANSACTIONS + " transactions, " + line));
        }
    }

    // -- Redis

    @Test
    void redisBenchmark_throughForward() throws Exception {
        Software.require("redis-benchmark");
        try (RedisServer server = RedisServer.start(directory);
                Tunnel tunnel = Tunnel.open(directory, "cache", server.port())) {
            for (String[] load : new String[][] {{"-c", "50"}, {"-c", "50", "-P", "16"}}) {
                String output = run(with(
                        with(
                                List.of(Software.require("redis-benchmark")),
                                "-h",
                                "127.0.0.1",
                                "-p",
                                Integer.toString(tunnel.port()),
                                "-n",
                                Integer.toString(REQUESTS),
                                "-t",
                                "set,get",
                                "-d",
                                "100",
                                "--csv"),
                        load));
                assertThat(output).contains("\"SET\"", "\"GET\"").doesNotContainIgnoringCase("error");
                output.lines()
                        .filter(line -> line.matches("\"(SET|GET).*"))
                        .forEach(line -> Software.print("forward: redis-benchmark " + String.join(" ", load) + ", "
                                + REQUESTS + " requests, test and rate: " + line.split(",")[0] + " "
                                + line.split(",")[1] + "/s"));
            }
        }
    }

    // -- curl

    private String download(List<String> options, String uri, Path original) throws IOException, InterruptedException {
        Path received = here.resolve("received");
        String speed = run(with(
                with(
                        List.of(Software.require("curl"), "-sS", "-f", "-o", received.toString()),
                        options.toArray(String[]::new)),
                "-w",
                "%{speed_download}",
                uri));
        assertThat(Files.mismatch(received, original)).isEqualTo(-1);
        Files.delete(received);
        return FILE_MIB + " MiB with " + Math.round(Double.parseDouble(speed) / Software.MIB) + " MiB/s";
    }

    private NginxServer startNginx() throws Exception {
        write(Files.createDirectory(directory.resolve("www")).resolve("large"), FILE_MIB);
        return NginxServer.start(directory, certificate());
    }

    @Test
    void curl_throughForward_downloadsAFile() throws Exception {
        Software.require("curl");
        Software.require("nginx");
        Path original = directory.resolve("www").resolve("large");
        try (NginxServer server = startNginx();
                Tunnel tunnel = Tunnel.open(directory, "web", server.port());
                Tunnel tls = Tunnel.open(directory, "web-tls", server.tlsPort())) {
            Software.print(
                    "forward: curl, " + download(List.of(), "http://127.0.0.1:" + tunnel.port() + "/large", original));
            Software.print("forward: curl with HTTPS, "
                    + download(
                            List.of("--cacert", directory.resolve("server.crt").toString()),
                            "https://localhost:" + tls.port() + "/large",
                            original));
        }
    }

    @Test
    void curl_throughSocks_downloadsAFile() throws Exception {
        Software.require("curl");
        Software.require("nginx");
        Path original = directory.resolve("www").resolve("large");
        String guest =
                Identity.loadOrCreate(directory.resolve("guest")).peerId().text();
        try (NginxServer server = startNginx();
                RendezvousFixture rendezvous = RendezvousFixture.start(directory);
                ParleyProcess serve = ParleyProcess.startWith(
                        directory,
                        JVM,
                        "forward",
                        "serve",
                        "web",
                        "127.0.0.1:" + server.port(),
                        "--allow",
                        guest,
                        "--address",
                        ParleyProcess.ANY_PORT,
                        "--no-multicast",
                        "--rendezvous",
                        rendezvous.address(),
                        "--json")) {
            String host = ParleyProcess.field(ForwardProcessTest.ready(serve), "host");
            try (ParleyProcess socks = ParleyProcess.startWith(
                    directory,
                    JVM,
                    "socks",
                    "--port",
                    "0",
                    "--home",
                    "guest",
                    "--no-multicast",
                    "--rendezvous",
                    rendezvous.address(),
                    "--json")) {
                List<String> proxy = List.of(
                        "--socks5-hostname", "127.0.0.1:" + ForwardProcessTest.port(ForwardProcessTest.ready(socks)));
                Software.print("socks: curl, " + download(proxy, "http://" + host + "/large", original));
                Software.print("socks: curl, " + download(proxy, "http://web.parley/large", original));
            }
        }
    }

    // -- ssh

    @Test
    void sshAndScp_throughForward() throws Exception {
        Software.require("sshd");
        Path there = Files.createDirectory(directory.resolve("server"));
        try (SshServer server = SshServer.start(there);
                Tunnel tunnel = Tunnel.open(directory, "ssh", server.port())) {
            String user = server.userAt("127.0.0.1");
            List<String> ssh = server.client("ssh", tunnel.port());
            assertThat(run(with(ssh, user, "echo \"$SSH_CONNECTION\" | cut -d ' ' -f 4")))
                    .isEqualTo(server.port() + "\n");
            // Both directions at once, and the end of the input.
            Path file = write(here.resolve("file"), FILE_MIB);
            Path piped = here.resolve("piped");
            Process cat = new ProcessBuilder(with(ssh, user, "cat"))
                    .redirectInput(file.toFile())
                    .redirectOutput(piped.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try {
                assertThat(cat.waitFor()).isZero();
            } finally {
                cat.destroyForcibly();
            }
            assertThat(Files.mismatch(piped, file)).isEqualTo(-1);

            List<String> scp = with(server.client("scp", tunnel.port()), "-q");
            Path copied = there.resolve("copied");
            long start = System.nanoTime();
            run(with(scp, file.toString(), user + ":" + copied));
            Software.print("forward: scp to the server, " + Software.rate(FILE_MIB, "MiB", start));
            assertThat(Files.mismatch(copied, file)).isEqualTo(-1);
            Path back = here.resolve("back");
            start = System.nanoTime();
            run(with(scp, user + ":" + copied, back.toString()));
            Software.print("forward: scp from the server, " + Software.rate(FILE_MIB, "MiB", start));
            assertThat(Files.mismatch(back, file)).isEqualTo(-1);
        }
    }
}
