package io.parley.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.ThreadWatch;
import io.parley.transport.EndpointAddress;
import io.parley.transport.memory.InMemoryNetwork;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Three endpoints over {@code mem://} in manual time: one thread, in an order that the seed determines. */
class EndpointManualTimeTest {

    private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");
    private static final ServiceAddress SERVICE = ServiceAddress.of("service");
    private static final int PEERS = 3;
    private static final int MESSAGES = 10;

    private final Set<Thread> threads = new LinkedHashSet<>();

    private static Identity identity(int number) {
        return Identity.generate(new SecureRandom() {
            @Override
            public void nextBytes(byte[] bytes) {
                Arrays.fill(bytes, (byte) number);
            }
        });
    }

    private List<String> trace(long seed) {
        ManualScheduler scheduler = new ManualScheduler(new ManualClock(START), new Random(seed));
        InMemoryNetwork network = new InMemoryNetwork(new ManualEventLoops(scheduler, 2), Duration.ofMillis(2));
        List<String> trace = new ArrayList<>();
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = 0; i < PEERS; i++) {
            int number = i;
            Endpoint endpoint = new EndpointBuilder()
                    .identity(identity(i))
                    .scheduler(scheduler)
                    .executor(() -> new ManualEventLoops(scheduler, 1).next())
                    .transport(network.transportProvider())
                    .listen(EndpointAddress.parse("mem://peer" + i))
                    .start();
            endpoint.listen(SERVICE, received -> {
                threads.add(Thread.currentThread());
                trace.add(
                        number + " received " + received.message().text("text").orElseThrow());
                received.release();
            });
            endpoints.add(endpoint);
        }
        endpoints.forEach(one -> endpoints.forEach(other -> one.addPeerAddress(other.peerAddress())));
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            for (int from = 0; from < PEERS; from++) {
                int to = (from + 1 + i % (PEERS - 1)) % PEERS;
                String text = from + " sent " + i + " to " + to;
                CompletableFuture<Void> done =
                        endpoints.get(from).send(endpoints.get(to).peerId(), SERVICE, Message.of("text", text));
                done.thenRun(() -> trace.add(text));
                sent.add(done);
            }
        }
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(sent).allMatch(CompletableFuture::isDone);
        endpoints.forEach(Endpoint::closeAsync);
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(endpoints).allMatch(Endpoint::isClosed);
        return trace;
    }

    @Test
    void equalSeeds_giveEqualTraces_anotherSeedDiffers_andNoOtherThreadRuns() {
        ThreadWatch watch = new ThreadWatch();
        List<String> trace = trace(1);
        assertThat(trace).hasSize(2 * PEERS * MESSAGES).isEqualTo(trace(1));
        Set<List<String>> others = new LinkedHashSet<>();
        for (int seed = 2; seed < 10; seed++) {
            others.add(trace(seed));
        }
        assertThat(others).as("traces of other seeds").anyMatch(other -> !other.equals(trace));
        assertThat(threads).containsExactly(Thread.currentThread());
        assertThat(watch.started()).isEmpty();
    }
}
