package io.parley.examples.demo;

import io.parley.error.ErrorCode;
import io.parley.examples.console.JsonObject;
import io.parley.examples.conversation.Conversation;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Arrays;

/**
 * The protocol of the demo's two peers. Bob sends {@code ping}s, which Alice returns. Then Bob sends rounds of {@code data}
 * at full speed; each round ends with {@code enough} and the number of its messages, which Alice verifies and confirms with
 * {@code counted}. After {@code turn} Alice sends such rounds to Bob, and ends them with {@code done} and her rate. The
 * conversation guarantees that no message is lost, duplicated or out of order.
 */
public final class DemoProtocol {

    /** The topic of the demo's conversation. */
    public static final String TOPIC = "demo";

    private static final String PING = "ping";
    private static final String DATA = "data";
    private static final String ENOUGH = "enough";
    private static final String COUNTED = "counted";
    private static final String TURN = "turn";
    private static final String DONE = "done";

    private static final int PINGS_PER_ROUND = 200;
    private static final int PING_BYTES = 64;
    private static final int MESSAGE_BYTES = 1024;
    private static final int MAX_ROUNDS = 60;
    private static final Duration ROUND = Duration.ofMillis(250);
    private static final Duration MAX_TIME = Duration.ofMillis(2500);

    private DemoProtocol() {}

    /** Runs Alice's part. */
    public static void respond(Conversation bob) throws InterruptedException {
        for (Message message = next(bob); message.element(TURN).isEmpty(); message = next(bob)) {
            if (message.element(PING).isPresent()) {
                bob.send(message);
            } else {
                verifyRound(bob, message);
            }
        }
        bob.send(Message.of(DONE, Long.toString(Math.round(measureRate(bob)))));
    }

    /** Runs Bob's part and returns the results. */
    public static JsonObject measure(Conversation alice) throws InterruptedException {
        byte[] payload = new byte[PING_BYTES];
        long firstTrip = roundTrip(alice, payload);
        SettledFigure trips = new SettledFigure(MAX_ROUNDS, MAX_TIME.toNanos());
        while (!trips.isDone()) {
            long start = System.nanoTime();
            long median = medianTrip(alice, payload);
            trips.add(1e9 / median, System.nanoTime() - start);
        }
        double sentPerSecond = measureRate(alice);
        alice.send(Message.of(TURN, ""));
        long receivedPerSecond = receiveRounds(alice);
        return JsonObject.object()
                .add("other", alice.other().text())
                .add("codec", alice.codec())
                .add("first_trip_us", firstTrip / 1e3)
                .add("warm_up_trips", trips.warmUpRounds() * (long) PINGS_PER_ROUND)
                .add("trip_us", 1e6 / trips.median())
                .add("sent_per_s", sentPerSecond)
                .add("received_per_s", receivedPerSecond)
                .add("message_bytes", MESSAGE_BYTES);
    }

    private static long medianTrip(Conversation alice, byte[] payload) throws InterruptedException {
        long[] nanos = new long[PINGS_PER_ROUND];
        for (int i = 0; i < PINGS_PER_ROUND; i++) {
            nanos[i] = roundTrip(alice, payload);
        }
        Arrays.sort(nanos);
        return nanos[PINGS_PER_ROUND / 2];
    }

    private static long roundTrip(Conversation alice, byte[] payload) throws InterruptedException {
        long start = System.nanoTime();
        alice.send(Message.of(PING, payload));
        next(alice);
        return System.nanoTime() - start;
    }

    /** Sends rounds until the rate has settled. Returns the rate in messages per second. */
    private static double measureRate(Conversation other) throws InterruptedException {
        SettledFigure rate = new SettledFigure(MAX_ROUNDS, MAX_TIME.toNanos());
        while (!rate.isDone()) {
            long start = System.nanoTime();
            long sent = sendRound(other);
            long nanos = System.nanoTime() - start;
            rate.add(sent * 1e9 / nanos, nanos);
        }
        return rate.median();
    }

    /** Sends messages for the duration of a round and waits until they are confirmed. Returns their number. */
    private static long sendRound(Conversation other) throws InterruptedException {
        byte[] payload = new byte[MESSAGE_BYTES];
        long start = System.nanoTime();
        long sent = 0;
        while (System.nanoTime() - start < ROUND.toNanos()) {
            for (int i = 0; i < 100; i++, sent++) {
                other.send(Message.of(DATA, payload));
            }
        }
        other.send(Message.of(ENOUGH, Long.toString(sent)));
        if (next(other).element(COUNTED).isEmpty()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("demo: unexpected message (expected: " + COUNTED + ")");
        }
        return sent;
    }

    /** Receives and verifies rounds until {@code done}. Returns the rate of the sender. */
    private static long receiveRounds(Conversation alice) throws InterruptedException {
        Message message = next(alice);
        while (message.element(DONE).isEmpty()) {
            verifyRound(alice, message);
            message = next(alice);
        }
        return Long.parseLong(message.text(DONE).orElse("0"));
    }

    private static void verifyRound(Conversation other, Message first) throws InterruptedException {
        long received = 0;
        Message message = first;
        while (message.element(ENOUGH).isEmpty()) {
            received++;
            message = next(other);
        }
        String sent = message.text(ENOUGH).orElse("");
        if (!sent.equals(Long.toString(received))) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "demo: messages in a round: " + received + " (expected: " + sent + ")");
        }
        other.send(Message.of(COUNTED, sent));
    }

    private static Message next(Conversation other) throws InterruptedException {
        return other.receive().orElseThrow(() -> ErrorCode.DISCONNECTED.exception("the other peer has left the demo"));
    }
}
