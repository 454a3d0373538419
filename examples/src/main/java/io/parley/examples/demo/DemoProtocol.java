package io.parley.examples.demo;

import io.parley.error.ErrorCode;
import io.parley.examples.console.JsonObject;
import io.parley.examples.conversation.Conversation;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Arrays;

/**
 * What the demo's two peers say to each other. Bob: {@code ping}s, each answered by the same; then {@code data} as fast
 * as they go, then {@code enough} with their number; Alice checks it and does the same. That nothing is lost, doubled or
 * out of order the conversation sees to.
 */
public final class DemoProtocol {

    /** The topic of the demo's conversation. */
    public static final String TOPIC = "demo";

    private static final int PINGS = 500;
    private static final int WARM_UP = 200;
    private static final int MESSAGE_BYTES = 1024;
    private static final Duration RUN = Duration.ofMillis(1500);

    private DemoProtocol() {}

    /** Alice's part. */
    public static void answer(Conversation bob) throws InterruptedException {
        while (true) {
            Message message = next(bob);
            if (message.element("ping").isPresent()) {
                bob.send(message);
            } else {
                count(bob, message);
                stream(bob);
                return;
            }
        }
    }

    /** Bob's part; says what he has measured. */
    public static JsonObject lead(Conversation alice) throws InterruptedException {
        long trip = medianTrip(alice);
        double sentPerSecond = stream(alice);
        long start = System.nanoTime();
        long received = count(alice, next(alice));
        double receivedPerSecond = received / ((System.nanoTime() - start) / 1e9);
        return JsonObject.object()
                .add("other", alice.other().text())
                .add("codec", alice.codec())
                .add("trip_us", trip / 1e3)
                .add("sent_per_s", sentPerSecond)
                .add("received_per_s", receivedPerSecond)
                .add("message_bytes", MESSAGE_BYTES);
    }

    private static long medianTrip(Conversation alice) throws InterruptedException {
        long[] nanos = new long[PINGS];
        byte[] payload = new byte[64];
        for (int i = -WARM_UP; i < PINGS; i++) {
            long start = System.nanoTime();
            alice.send(Message.of("ping", payload));
            next(alice);
            if (i >= 0) {
                nanos[i] = System.nanoTime() - start;
            }
        }
        Arrays.sort(nanos);
        return nanos[PINGS / 2];
    }

    /** Sends for a while; messages per second, all of them confirmed. */
    private static double stream(Conversation other) throws InterruptedException {
        byte[] payload = new byte[MESSAGE_BYTES];
        long start = System.nanoTime();
        long sent = 0;
        while (System.nanoTime() - start < RUN.toNanos()) {
            for (int i = 0; i < 100; i++, sent++) {
                other.send(Message.of("data", payload));
            }
        }
        other.send(Message.of("enough", Long.toString(sent)));
        if (next(other).element("counted").isEmpty()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("the demo's messages come in a wrong order");
        }
        return sent / ((System.nanoTime() - start) / 1e9);
    }

    private static long count(Conversation other, Message first) throws InterruptedException {
        long received = 0;
        Message message = first;
        while (message.element("enough").isEmpty()) {
            received++;
            message = next(other);
        }
        if (!message.text("enough").orElse("").equals(Long.toString(received))) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("messages of the demo were lost");
        }
        other.send(Message.of("counted", Long.toString(received)));
        return received;
    }

    private static Message next(Conversation other) throws InterruptedException {
        return other.receive().orElseThrow(() -> ErrorCode.DISCONNECTED.exception("the other side has left the demo"));
    }
}
