package io.parley.examples.software;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.testkit.Eventually;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.args.ClientPauseMode;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Jedis, unmodified, and a real Redis, over sockets of two peers, by its interface for factories of sockets. */
@Tag("process")
@Tag("software")
@Timeout(600)
class RedisProcessTest {

    private static final int REQUESTS = Software.number("requests", 2000);
    private static final int CLIENTS = 4;
    private static final int PORT = 6379;
    private static final int TIMEOUT_MILLIS = 30_000;

    @TempDir
    private static Path shared;

    private static RedisServer server;
    private static SoftwarePeers peers;
    private static TcpBridge bridge;

    @BeforeAll
    static void start() throws Exception {
        server = RedisServer.start(shared);
        peers = new SoftwarePeers();
        bridge = peers.bridge("cache", server.port());
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

    /** Returns a factory as Jedis has one itself: it also sets the timeout of the socket. */
    private static JedisSocketFactory sockets(String host, int timeoutMillis) {
        return () -> {
            try {
                Socket socket = peers.clientFactory().createSocket(host, PORT);
                socket.setSoTimeout(timeoutMillis);
                return socket;
            } catch (IOException e) {
                throw new JedisConnectionException("Failed to connect to " + host, e);
            }
        };
    }

    private static JedisSocketFactory sockets() {
        return sockets(peers.host("cache"), TIMEOUT_MILLIS);
    }

    private static DefaultJedisClientConfig config(int timeoutMillis) {
        return DefaultJedisClientConfig.builder()
                .socketTimeoutMillis(timeoutMillis)
                .autoNegotiateProtocol(false)
                .build();
    }

    private static Jedis connect() {
        return new Jedis(sockets(), config(TIMEOUT_MILLIS));
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }

    @Test
    void values_ofAllSizes_comeBack() {
        try (Jedis jedis = connect()) {
            assertThat(jedis.ping()).isEqualTo("PONG");
            for (int size : new int[] {0, 1, 4095, 4096, 65_535, 65_537, 3 * Software.MIB + 1}) {
                byte[] key = ("size-" + size).getBytes(StandardCharsets.UTF_8);
                jedis.set(key, bytes(size));
                assertThat(jedis.get(key)).isEqualTo(bytes(size));
            }
        }
    }

    @Test
    void serviceName_withoutAPeerId_isFound() {
        try (Jedis jedis = new Jedis(sockets("cache.parley", TIMEOUT_MILLIS), config(TIMEOUT_MILLIS))) {
            assertThat(jedis.echo("found")).isEqualTo("found");
        }
    }

    @Test
    void pool_ofSeveralThreads_countsEachRequest() throws Exception {
        GenericObjectPoolConfig<Connection> limits = new GenericObjectPoolConfig<>();
        limits.setMaxTotal(CLIENTS);
        limits.setJmxEnabled(false);
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try (ConnectionPool pool =
                new ConnectionPool(new ConnectionFactory(sockets(), config(TIMEOUT_MILLIS)), limits)) {
            long start = System.nanoTime();
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(threads.submit(() -> {
                    for (int request = 0; request < REQUESTS / CLIENTS; request++) {
                        try (Connection connection = pool.getResource()) {
                            new Jedis(connection).incr("requests");
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> client : clients) {
                client.get();
            }
            Software.print("Redis: a pool of " + CLIENTS + " connections of Jedis, "
                    + Software.rate(REQUESTS, "requests", start));
            try (Connection connection = pool.getResource()) {
                assertThat(new Jedis(connection).get("requests")).isEqualTo(Integer.toString(REQUESTS));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void pipelineAndTransaction_returnEachResponseInOrder() {
        try (Jedis jedis = connect()) {
            int commands = Math.min(10 * REQUESTS, 100_000);
            long start = System.nanoTime();
            List<Response<Long>> responses = new ArrayList<>();
            Pipeline pipeline = jedis.pipelined();
            for (int i = 0; i < commands; i++) {
                responses.add(pipeline.incr("pipelined"));
            }
            pipeline.sync();
            Software.print("Redis: a pipeline, " + Software.rate(commands, "requests", start));
            for (int i = 0; i < commands; i++) {
                assertThat(responses.get(i).get()).isEqualTo(i + 1);
            }
            Transaction transaction = jedis.multi();
            Response<Long> first = transaction.incr("pipelined");
            transaction.set("multi", "done");
            transaction.exec();
            assertThat(first.get()).isEqualTo(commands + 1L);
            assertThat(jedis.get("multi")).isEqualTo("done");
        }
    }

    @Test
    void socketTimeout_whileTheServerPauses_isTheTimeoutOfASocket() {
        try (Jedis impatient = connect();
                Jedis other = connect()) {
            assertThat(impatient.ping()).isEqualTo("PONG");
            other.clientPause(2L * TIMEOUT_MILLIS, ClientPauseMode.WRITE); // so that the client can end it
            impatient.getConnection().setSoTimeout(200);
            assertThatThrownBy(() -> impatient.set("paused", "no"))
                    .isInstanceOf(JedisConnectionException.class)
                    .hasRootCauseInstanceOf(SocketTimeoutException.class);
            assertThat(impatient.isBroken()).isTrue();
            other.clientUnpause();
            assertThat(other.set("unpaused", "yes")).isEqualTo("OK");
        }
    }

    @Test
    void blockingPop_isWokenByAPush() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Jedis popping = connect();
                Jedis pushing = connect()) {
            Future<List<String>> popped = threads.submit(() -> popping.blpop(0, "queue"));
            Eventually.until(
                    () -> "no client blocks", () -> pushing.info("clients").contains("blocked_clients:1"));
            pushing.rpush("queue", "first");
            assertThat(Eventually.get(popped, "BLPOP")).containsExactly("queue", "first");
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void subscriber_receivesEachMessage() throws Exception {
        int messages = REQUESTS;
        CountDownLatch subscribed = new CountDownLatch(1);
        List<String> received = new ArrayList<>();
        JedisPubSub listener = new JedisPubSub() {
            @Override
            public void onSubscribe(String channel, int count) {
                subscribed.countDown();
            }

            @Override
            public void onMessage(String channel, String message) {
                received.add(message);
                if (received.size() == messages) {
                    unsubscribe();
                }
            }
        };
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Jedis subscriber = connect();
                Jedis publisher = connect()) {
            Future<?> subscription = threads.submit(() -> subscriber.subscribe(listener, "news"));
            Eventually.latch(subscribed, "the subscription");
            Pipeline pipeline = publisher.pipelined();
            for (int i = 0; i < messages; i++) {
                pipeline.publish("news", Integer.toString(i));
            }
            pipeline.sync();
            Eventually.get(subscription, "the messages");
            assertThat(received).hasSize(messages);
            assertThat(received.get(messages - 1)).isEqualTo(Integer.toString(messages - 1));
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void clientThatTheServerKills_failsAndConnectsAgain() {
        try (Jedis victim = connect();
                Jedis killer = connect()) {
            killer.sendCommand(
                    redis.clients.jedis.Protocol.Command.CLIENT, "KILL", "ID", Long.toString(victim.clientId()));
            assertThatThrownBy(victim::ping).isInstanceOf(JedisConnectionException.class);
            victim.disconnect();
            victim.connect();
            assertThat(victim.ping()).isEqualTo("PONG");
        }
    }
}
