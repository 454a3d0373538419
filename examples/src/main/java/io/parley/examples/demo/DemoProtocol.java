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
    private static final Duration QUICK_ROUND = Duration.ofMillis(50);
    private static final Duration QUICK_MAX_TIME = Duration.ofMillis(200);

    private final Conversation conversation;
    private final Duration round;
    private final Duration maxTime;

    /**
     * Creates the part of one peer.
     *
     * @param conversation the conversation with the other peer
     * @param quick        whether to measure for a fraction of a second only
     */
    public DemoProtocol(Conversation conversation, boolean quick) {
        this.conversation = conversation;
        this.round = quick ? QUICK_ROUND : ROUND;
        this.maxTime = quick ? QUICK_MAX_TIME : MAX_TIME;
    }

    /** Runs Alice's part. */
    public void respond() throws InterruptedException {
        for (Message message = next(); message.element(TURN).isEmpty(); message = next()) {
            if (message.element(PING).isPresent()) {
                conversation.send(message);
            } else {
                verifyRound(message);
            }
        }
        conversation.send(Message.of(DONE, Long.toString(Math.round(measureRate()))));
    }

    /** Runs Bob's part and returns the results. */
    public JsonObject measure() throws InterruptedException {
        byte[] payload = new byte[PING_BYTES];
        long firstTrip = roundTrip(payload);
        SettledFigure trips = new SettledFigure(MAX_ROUNDS, maxTime.toNanos());
        while (!trips.isDone()) {
            long start = System.nanoTime();
            long median = medianTrip(payload);
            trips.add(1e9 / median, System.nanoTime() - start);
        }
        double sentPerSecond = measureRate();
        conversation.send(Message.of(TURN, ""));
        long receivedPerSecond = receiveRounds();
        return JsonObject.object()
                .add("other", conversation.other().text())
                .add("codec", conversation.codec())
                .add("first_trip_us", firstTrip / 1e3)
                .add("warm_up_trips", trips.warmUpRounds() * (long) PINGS_PER_ROUND)
                .add("trip_us", 1e6 / trips.median())
                .add("sent_per_s", sentPerSecond)
                .add("received_per_s", receivedPerSecond)
                .add("message_bytes", MESSAGE_BYTES);
    }

    private long medianTrip(byte[] payload) throws InterruptedException {
        long[] nanos = new long[PINGS_PER_ROUND];
        for (int i = 0; i < PINGS_PER_ROUND; i++) {
            nanos[i] = roundTrip(payload);
        }
        Arrays.sort(nanos);
        return nanos[PINGS_PER_ROUND / 2];
    }

    private long roundTrip(byte[] payload) throws InterruptedException {
        long start = System.nanoTime();
        conversation.send(Message.of(PING, payload));
        next();
        return System.nanoTime() - start;
    }

    /** Sends rounds until the rate has settled. Returns the rate in messages per second. */
    private double measureRate() throws InterruptedException {
        SettledFigure rate = new SettledFigure(MAX_ROUNDS, maxTime.toNanos());
        while (!rate.isDone()) {
            long start = System.nanoTime();
            long sent = sendRound();
            long nanos = System.nanoTime() - start;
            rate.add(sent * 1e9 / nanos, nanos);
        }
        return rate.median();
    }

    /** Sends messages for the duration of a round and waits until they are confirmed. Returns their number. */
    private long sendRound() throws InterruptedException {
        byte[] payload = new byte[MESSAGE_BYTES];
        long start = System.nanoTime();
        long sent = 0;
        while (System.nanoTime() - start < round.toNanos()) {
            for (int i = 0; i < 100; i++, sent++) {
                conversation.send(Message.of(DATA, payload));
            }
        }
        conversation.send(Message.of(ENOUGH, Long.toString(sent)));
        if (next().element(COUNTED).isEmpty()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("demo: unexpected message (expected: " + COUNTED + ")");
        }
        return sent;
    }

    /** Receives and verifies rounds until {@code done}. Returns the rate of the sender. */
    private long receiveRounds() throws InterruptedException {
        Message message = next();
        while (message.element(DONE).isEmpty()) {
            verifyRound(message);
            message = next();
        }
        return Long.parseLong(message.text(DONE).orElse("0"));
    }

    private void verifyRound(Message first) throws InterruptedException {
        long received = 0;
        Message message = first;
        while (message.element(ENOUGH).isEmpty()) {
            received++;
            message = next();
        }
        String sent = message.text(ENOUGH).orElse("");
        if (!sent.equals(Long.toString(received))) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "demo: messages in a round: " + received + " (expected: " + sent + ")");
        }
        conversation.send(Message.of(COUNTED, sent));
    }

    private Message next() throws InterruptedException {
        return conversation
                .receive()
                .orElseThrow(() -> ErrorCode.DISCONNECTED.exception("the other peer has left the demo"));
    }
}
