package io.parley.examples.software;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.sockets.PeerSocketFactory;
import io.parley.testkit.Eventually;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.copy.CopyIn;

/**
 * The JDBC driver of PostgreSQL, unmodified, and a real PostgreSQL, over sockets of two peers. The driver creates the sockets by the name of
 * the factory's class.
 */
@Tag("process")
@Tag("software")
@Timeout(600)
class PostgresProcessTest {

    private static final int TRANSACTIONS = Software.number("transactions", 300);
    private static final int COPY_MIB = Software.number("copyMib", 5);
    private static final int CLIENTS = 4;
    private static final int ACCOUNTS = 1000;
    private static final int TELLERS = 10;
    private static final String QUERY_CANCELED = "57014";
    private static final String ADMIN_SHUTDOWN = "57P01";

    @TempDir
    private static Path shared;

    private static PostgresServer server;
    private static SoftwarePeers peers;
    private static TcpBridge bridge;
    private static Path certificate;

    @BeforeAll
    static void start() throws Exception {
        Software.require("initdb");
        peers = new SoftwarePeers();
        ServerCertificate own = ServerCertificate.create(shared, List.of(peers.host("db")));
        certificate = Files.writeString(shared.resolve("root.crt"), own.certificatePem());
        server = PostgresServer.start(own);
        bridge = peers.bridge("db", server.port());
    }

    @AfterAll
    static void stop() {
        if (peers != null) {
            peers.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @AfterEach
    void closedConnections_leaveNoSocket() {
        Eventually.until(
                () -> bridge.openSockets() + " sockets of the bridge are open", () -> bridge.openSockets() == 0);
    }

    private static Connection connect(String... properties) throws SQLException {
        return connectTo(peers.host("db"), properties);
    }

    private static Connection connectTo(String host, String... properties) throws SQLException {
        Properties all = new Properties();
        all.setProperty("user", PostgresServer.USER);
        all.setProperty("password", PostgresServer.PASSWORD);
        all.setProperty("socketFactory", PeerSocketFactory.class.getName());
        all.setProperty("socketFactoryArg", peers.clientName());
        for (int i = 0; i < properties.length; i += 2) {
            all.setProperty(properties[i], properties[i + 1]);
        }
        return DriverManager.getConnection("jdbc:postgresql://" + host + "/" + PostgresServer.DATABASE, all);
    }

    private static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    private static long number(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            assertThat(rows.next()).isTrue();
            return rows.getLong(1);
        }
    }

    // -- transactions

    @Test
    void transactions_ofSeveralClients_addUp() throws Exception {
        try (Connection connection = connect()) {
            execute(
                    connection,
                    "CREATE TABLE branches (bid int PRIMARY KEY, balance bigint)",
                    "CREATE TABLE tellers (tid int PRIMARY KEY, balance bigint)",
                    "CREATE TABLE accounts (aid int PRIMARY KEY, balance bigint, filler char(84))",
                    "CREATE TABLE history (tid int, bid int, aid int, delta int, filler char(22))",
                    "INSERT INTO branches SELECT i, 0 FROM generate_series(0, " + (CLIENTS - 1) + ") i",
                    "INSERT INTO tellers SELECT i, 0 FROM generate_series(0, " + (TELLERS - 1) + ") i",
                    "INSERT INTO accounts SELECT i, 0, '' FROM generate_series(0, " + (ACCOUNTS - 1) + ") i");
        }
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            long start = System.nanoTime();
            List<Future<Long>> sums = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                sums.add(threads.submit(() -> transactions(client, TRANSACTIONS / CLIENTS)));
            }
            long expected = 0;
            for (Future<Long> sum : sums) {
                expected += sum.get(9, TimeUnit.MINUTES);
            }
            Software.print("PostgreSQL: " + CLIENTS + " clients of JDBC, "
                    + Software.rate(TRANSACTIONS, "transactions", start));
            try (Connection connection = connect()) {
                assertThat(number(connection, "SELECT count(*) FROM history")).isEqualTo(TRANSACTIONS);
                for (String table : List.of("accounts", "tellers", "branches")) {
                    assertThat(number(connection, "SELECT sum(balance) FROM " + table))
                            .isEqualTo(expected);
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** The transaction of pgbench, which is that of TPC-B. Returns the sum of the deltas. */
    private static long transactions(int client, int count) throws SQLException {
        Random random = new Random(client);
        long sum = 0;
        try (Connection connection = connect();
                PreparedStatement account =
                        connection.prepareStatement("UPDATE accounts SET balance = balance + ? WHERE aid = ?");
                PreparedStatement balance = connection.prepareStatement("SELECT balance FROM accounts WHERE aid = ?");
                PreparedStatement teller =
                        connection.prepareStatement("UPDATE tellers SET balance = balance + ? WHERE tid = ?");
                PreparedStatement branch =
                        connection.prepareStatement("UPDATE branches SET balance = balance + ? WHERE bid = ?");
                PreparedStatement history =
                        connection.prepareStatement("INSERT INTO history VALUES (?, ?, ?, ?, '')")) {
            connection.setAutoCommit(false);
            for (int i = 0; i < count; i++) {
                int delta = random.nextInt(10_000) - 5000;
                int aid = client + CLIENTS * random.nextInt(ACCOUNTS / CLIENTS); // its own, so that no clients deadlock
                int tid = random.nextInt(TELLERS);
                update(account, delta, aid);
                balance.setInt(1, aid);
                try (ResultSet row = balance.executeQuery()) {
                    assertThat(row.next()).isTrue();
                }
                update(teller, delta, tid);
                update(branch, delta, client);
                update(history, tid, client, aid, delta);
                connection.commit();
                sum += delta;
            }
        }
        return sum;
    }

    private static void update(PreparedStatement statement, int... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setInt(i + 1, values[i]);
        }
        assertThat(statement.executeUpdate()).isOne();
    }

    // -- bulk

    @Test
    void copy_inAndOut_keepsEachByte() throws Exception {
        try (Connection connection = connect("ApplicationName", "copy")) {
            execute(connection, "CREATE UNLOGGED TABLE bulk (id bigint, content text)");
            byte[] row = new byte[1024];
            int rows = COPY_MIB * (Software.MIB / row.length);
            MessageDigest sent = MessageDigest.getInstance("SHA-256");
            long start = System.nanoTime();
            CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY bulk FROM STDIN");
            Random random = new Random(1);
            for (int i = 0; i < rows; i++) {
                fill(row, i, random);
                sent.update(row);
                copy.writeToCopy(row, 0, row.length);
            }
            assertThat(copy.endCopy()).isEqualTo(rows);
            Software.print("PostgreSQL: COPY in, " + Software.rate(COPY_MIB, "MiB", start));

            start = System.nanoTime();
            MessageDigest received = MessageDigest.getInstance("SHA-256");
            try (OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), received)) {
                long copied = connection
                        .unwrap(PGConnection.class)
                        .getCopyAPI()
                        .copyOut("COPY (SELECT * FROM bulk ORDER BY id) TO STDOUT", out);
                assertThat(copied).isEqualTo(rows);
            }
            Software.print("PostgreSQL: COPY out, " + Software.rate(COPY_MIB, "MiB", start));
            assertThat(received.digest()).isEqualTo(sent.digest());
        }
    }

    /** Fills a row of the text format: a number, a tabulator, letters. */
    private static void fill(byte[] row, int number, Random random) {
        byte[] digits = (1_000_000_000L + number + "\t").getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(digits, 0, row, 0, digits.length);
        for (int i = digits.length; i < row.length - 1; i++) {
            row[i] = (byte) ('a' + random.nextInt(26));
        }
        row[row.length - 1] = '\n';
    }

    @Test
    void largeResult_withAFetchSize_isReadInParts() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false); // otherwise the driver reads all at once
            statement.setFetchSize(100);
            long sum = 0;
            try (ResultSet rows =
                    statement.executeQuery("SELECT i, repeat('x', 500) FROM generate_series(1, 5000) i")) {
                while (rows.next()) {
                    sum += rows.getLong(1);
                    assertThat(rows.getString(2)).hasSize(500);
                }
            }
            assertThat(sum).isEqualTo(5000L * 5001 / 2);
        }
    }

    // -- what the driver does with sockets beside that

    @Test
    void serviceName_withoutAPeerId_isFound() throws Exception {
        try (Connection connection = connectTo("db.parley")) {
            assertThat(number(connection, "SELECT 42")).isEqualTo(42);
        }
    }

    @Test
    void tls_ofTheDriver_verifiesTheHostName() throws Exception {
        String[] tls = {"sslmode", "verify-full", "sslrootcert", certificate.toString()};
        try (Connection connection = connect(tls)) {
            assertThat(number(connection, "SELECT ssl::int FROM pg_stat_ssl WHERE pid = pg_backend_pid()"))
                    .isOne();
            assertThat(number(connection, "SELECT length(repeat('x', 3000000))"))
                    .isEqualTo(3_000_000);
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT repeat('x', 3000000)")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo("x".repeat(3_000_000));
            }
        }
        assertThatThrownBy(() -> connectTo("db.parley", tls))
                .hasMessageContaining("db.parley"); // not in the certificate
    }

    /** The driver cancels a query on a second connection. */
    @Test
    void queryTimeout_cancelsTheQuery() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            assertThatThrownBy(() -> statement.execute("SELECT pg_sleep(100)"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(QUERY_CANCELED));
            assertThat(number(connection, "SELECT 1")).isOne();
        }
    }

    /** The driver reads with a timeout of the socket. */
    @Test
    void socketTimeout_endsTheConnection() throws Exception {
        try (Connection connection = connect("socketTimeout", "1");
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute("SELECT pg_sleep(3)"))
                    .hasRootCauseInstanceOf(java.net.SocketTimeoutException.class);
            assertThat(connection.isClosed()).isTrue();
        }
    }

    /** The driver polls with a timeout of a millisecond, and may not lose a byte by that. */
    @Test
    void notifications_arriveWhileTheDriverPolls() throws Exception {
        try (Connection listener = connect();
                Connection notifier = connect()) {
            execute(listener, "LISTEN news");
            PGConnection listening = listener.unwrap(PGConnection.class);
            int expected = 200;
            Thread sender = new Thread(() -> {
                try {
                    for (int i = 0; i < expected; i++) {
                        execute(notifier, "NOTIFY news, '" + i + "'");
                    }
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            sender.start();
            List<String> received = new ArrayList<>();
            Eventually.until(() -> "received " + received, () -> {
                try {
                    PGNotification[] some = listening.getNotifications(1);
                    for (PGNotification each : some == null ? new PGNotification[0] : some) {
                        received.add(each.getParameter());
                    }
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
                return received.size() >= expected;
            });
            sender.join();
            for (int i = 0; i < expected; i++) {
                assertThat(received.get(i)).isEqualTo(Integer.toString(i));
            }
        }
    }

    @Test
    void connectionThatTheServerEnds_failsWithTheReasonOfTheServer() throws Exception {
        try (Connection victim = connect();
                Connection killer = connect()) {
            long pid = number(victim, "SELECT pg_backend_pid()");
            assertThat(number(killer, "SELECT pg_terminate_backend(" + pid + ", 10000)::int"))
                    .isOne();
            assertThatThrownBy(() -> number(victim, "SELECT 1"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(ADMIN_SHUTDOWN));
            assertThat(victim.isClosed()).isTrue();
        }
    }

    @Test
    void serviceThatIsNotThere_failsAsARefusedConnection() {
        assertThatThrownBy(() -> connectTo(peers.host("nothing")))
                .isInstanceOf(SQLException.class)
                .hasCauseInstanceOf(java.net.ConnectException.class);
    }
}
