package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ApplicationException;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.testkit.TestSeed;
import io.parley.transport.PeerAddress;
import io.parley.transport.TransportSecurity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A secure pipe over plaintext TCP, through a proxy that changes, drops and repeats bytes: what arrives is what was sent, once and in
 * order, and no future lies.
 */
@Timeout(180)
@Tag("extended")
class SecurePipeTamperTest {

    private static final Duration SOON = Eventually.DEADLINE;

    /** The number of messages that are tampered with. If the proxy has changed none by chance, there are more. */
    private static final int MESSAGES = 200;

    private static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS.toBuilder()
            .keepAliveInterval(Duration.ofMillis(200)) // a changed length makes a peer wait for bytes that do not come
            .handshakeTimeout(Duration.ofSeconds(2))
            .closeTimeout(Duration.ofSeconds(1))
            .reconnectTimeout(Duration.ofSeconds(10))
            .build();

    private record Sent(int number, CompletableFuture<Void> result) {}

    private static Peer start() {
        return Peer.builder()
                .multicast(false)
                .listen("tcp://127.0.0.1:0")
                .security(TransportSecurity.PLAINTEXT)
                .limits(LIMITS)
                .start();
    }

    /** The content is known from the number. */
    private static byte[] content(int number) {
        byte[] content = new byte[100 + number % 7 * 400];
        new Random(number).nextBytes(content);
        return content;
    }

    private static Message message(int number) {
        return Message.builder()
                .add("number", Integer.toString(number))
                .add("content", content(number))
                .build();
    }

    @Test
    void bytesAreTamperedWith_nothingWrongArrives_andNoFutureLies() throws Exception {
        long seed = TestSeed.next("tampering");
        BlockingQueue<Integer> arrived = new LinkedBlockingQueue<>();
        List<String> wrong = new ArrayList<>();
        List<Sent> sent = new ArrayList<>();
        try (Peer alice = start();
                Peer bob = start();
                TamperingProxy proxy = new TamperingProxy(alice, 40_000, seed);
                InputPipe in = Pipes.of(alice).secure().listen("numbers", received -> {
                    int number = Integer.parseInt(received.text("number").orElse("-1"));
                    byte[] content = received.message().bytes("content").orElse(new byte[0]);
                    if (!received.from().equals(bob.id()) || !Arrays.equals(content, content(number))) {
                        synchronized (wrong) {
                            wrong.add(received.toString());
                        }
                    }
                    arrived.add(number);
                })) {
            try (OutputPipe out = connect(bob, proxy.address(), "numbers")) {
                for (int i = 0; i < MESSAGES || proxy.changes() == 0; i++) {
                    Sent next = new Sent(i, out.send(message(i)));
                    sent.add(next);
                    if (i % 10 == 9) {
                        Eventually.until(
                                () -> "message " + next.number(),
                                () -> next.result().isDone());
                    }
                }
                proxy.becomeHonest();
                Eventually.until(
                        () -> "a message without a result",
                        () -> sent.stream().allMatch(next -> next.result().isDone()));
                int last = sent.size();
                CompletableFuture<Void> end = out.send(message(last));
                while (Eventually.get(end.handle((done, failure) -> failure), "the last message") != null) {
                    last++;
                    end = out.send(message(last));
                }
                int expected = last;
                Eventually.until(() -> "message " + expected, () -> arrived.contains(expected));
            }
            assertThat(proxy.changes()).isPositive();
        }
        assertThat(wrong).isEmpty();
        List<Integer> numbers = List.copyOf(arrived);
        assertThat(numbers).isSorted().doesNotHaveDuplicates();
        for (Sent next : sent) {
            ParleyException failure = failure(next.result());
            if (failure == null) {
                assertThat(numbers).contains(next.number());
            } else if (failure.code() != ErrorCode.LOST) {
                assertThat(numbers).as("%s", failure).doesNotContain(next.number());
            }
        }
    }

    @Test
    void requestsAreTamperedWith_responsesAreTrue_orTheRequestsFail() throws Exception {
        long seed = TestSeed.next("tampering with requests");
        List<CompletableFuture<PipeMessage>> responses = new ArrayList<>();
        try (Peer alice = start();
                Peer bob = start();
                TamperingProxy proxy = new TamperingProxy(alice, 40_000, seed);
                InputPipe service = Pipes.of(alice).secure().serve("echo", SecurePipeTamperTest::echo);
                OutputPipe out = connect(bob, proxy.address(), "echo")) {
            for (int i = 0; i < MESSAGES || proxy.changes() == 0; i++) {
                CompletableFuture<PipeMessage> next = out.requestAsync(message(i), Duration.ofSeconds(2));
                responses.add(next);
                if (i % 10 == 9) {
                    Eventually.until(() -> "the response to " + service, next::isDone);
                }
            }
            proxy.becomeHonest();
            Eventually.until(
                    () -> "a request without a result", () -> responses.stream().allMatch(CompletableFuture::isDone));
            int last = responses.size();
            while (failure(out.requestAsync(message(last), SOON)) != null) {
                last++;
                assertThat(last).as("requests after the tampering").isLessThan(responses.size() + 100);
            }
            assertThat(proxy.changes()).isPositive();
        }
        int responded = 0;
        for (int i = 0; i < responses.size(); i++) {
            ParleyException failure = failure(responses.get(i));
            if (failure == null) {
                responded++;
                assertThat(responses.get(i).join().message()).isEqualTo(message(i));
            } else {
                assertThat(failure).isNotInstanceOf(ApplicationException.class);
            }
        }
        assertThat(responded).isPositive();
    }

    /** Returns a request whose content is that of its number. */
    private static Message echo(PipeMessage request) {
        int number = Integer.parseInt(request.text("number").orElse("-1"));
        if (!request.message().equals(message(number))) {
            throw new ApplicationException(1, "the request was changed: " + request);
        }
        return request.message();
    }

    private static @Nullable ParleyException failure(CompletableFuture<?> result) {
        return (ParleyException)
                result.handle((done, failure) -> failure == null ? null : ParleyException.unwrap(failure))
                        .join();
    }

    /** Connects, which the proxy may prevent several times. */
    private static OutputPipe connect(Peer bob, PeerAddress behind, String name) throws Exception {
        for (int attempt = 0; ; attempt++) {
            try {
                return Pipes.of(bob).secure().connect(behind, name, SOON);
            } catch (ParleyException e) {
                if (attempt == 20) {
                    throw e;
                }
            }
        }
    }
}
