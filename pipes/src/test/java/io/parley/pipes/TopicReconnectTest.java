package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.Peer;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.tcp.TcpTransportProvider;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A subscriber whose connection is lost over TCP and TLS while the publisher queues a message. */
@Timeout(120)
class TopicReconnectTest {

    private static final Duration SOON = Eventually.DEADLINE;

    /** The content of a message that the network loses. */
    private static final String LOST = "in flight when the connection is lost";

    /** A connection of the publisher. */
    private record Started(Connection connection, ConnectionListener listener) {}

    /** The binary format, with an action before the next message is encoded, on the thread of the publisher. */
    private record HookedCodec(AtomicReference<@Nullable Runnable> beforeEncode) implements MessageCodec {

        @Override
        public String name() {
            return "hooked";
        }

        @Override
        public String contentType() {
            return "application/x-hooked";
        }

        @Override
        public int maxStateBytes() {
            return 0;
        }

        @Override
        public CodecSession newSession(MessageLimits limits) {
            CodecSession binary = MessageCodec.binary().newSession(limits);
            return new CodecSession() {
                @Override
                public ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator) {
                    Runnable action = message.element("hook").isPresent() ? beforeEncode.getAndSet(null) : null;
                    if (action != null) {
                        action.run();
                    }
                    return binary.encode(message, headroom, allocator);
                }

                @Override
                public Message decode(ByteBuf encoded) {
                    return binary.decode(encoded);
                }

                @Override
                public long encodedSize(Message message) {
                    return binary.encodedSize(message);
                }
            };
        }
    }

    private final AtomicReference<@Nullable Runnable> beforeEncode = new AtomicReference<>();
    private final Queue<Started> connections = new ConcurrentLinkedQueue<>();

    /** Whether the network loses messages with the content {@link #LOST} of the publisher. */
    private volatile boolean losing = true;

    /** Whether the network takes no messages of the publisher, as if the connection were slow. */
    private volatile boolean stopped;

    private final Peer publishing = Peer.loopback()
            .transport(new InterceptedTransportProvider(new TcpTransportProvider(), this::intercept))
            .codec(new HookedCodec(beforeEncode))
            .codecs("hooked")
            .actAsRendezvous()
            .start();
    private final Peer subscribing = Peer.loopback()
            .codec(new HookedCodec(new AtomicReference<>()))
            .codecs("hooked")
            .rendezvous(publishing.address().toString())
            .start();

    @AfterEach
    void close() {
        subscribing.close();
        publishing.close();
    }

    private Object intercept(Connection connection, Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "start" -> connections.add(new Started(connection, (ConnectionListener) arguments[0]));
            case "isWritable" -> {
                return !stopped && connection.isWritable();
            }
            case "tryAppend" -> {
                return false; // so that all frames are written
            }
            case "write" -> {
                ByteBuf frame = (ByteBuf) arguments[0];
                if (losing && frame.toString(StandardCharsets.ISO_8859_1).contains(LOST)) {
                    frame.release();
                    return null;
                }
            }
            default -> {}
        }
        return InterceptedTransportProvider.proceed(connection, method, arguments);
    }

    private long resent() {
        return publishing.endpoint().metrics().get(Counter.MESSAGES_RESENT);
    }

    /** Returns when the lost message is in the queue again, where a slow connection keeps it. */
    private void reconnect() {
        long before = resent();
        losing = false;
        stopped = true;
        connections.forEach(started -> started.connection().abort(new IOException("cut")));
        Eventually.until(() -> "no message returns to the queue", () -> resent() > before);
    }

    private void continueWriting() {
        stopped = false;
        connections.forEach(started -> started.connection().executor().execute(started.listener()::onWritable));
    }

    @Test
    void connectionIsLostWhileAMessageIsQueued_aBlockingReceiverMissesNothing() throws InterruptedException {
        TopicSubscription subscription =
                Pipes.of(subscribing).topic("prices").subscribe(SubscriptionOptions.blocking());
        TopicPublisher publisher = Pipes.of(publishing)
                .withFlowLimits(FlowLimits.builder().queueMessages(1).build())
                .topic("prices")
                .openPublisher();
        Eventually.until(() -> "no receiver", () -> !publisher.receivers().isEmpty());
        publisher.send(Message.of("text", "first"), SOON);
        assertThat(subscription.receive(SOON).orElseThrow().text("text")).contains("first");
        Eventually.get(publisher.whenIdle(), "the acknowledgement");

        publisher.send(Message.of("text", LOST), SOON);
        Eventually.until(() -> "the message is not sent", publisher::isWritable);
        beforeEncode.set(this::reconnect); // after the publisher has seen that there is room
        publisher.send(Message.builder().add("text", "next").add("hook", "").build(), SOON);
        assertThat(beforeEncode).hasNullValue();
        continueWriting();
        publisher.send(Message.of("text", "last"), SOON);
        for (String text : new String[] {LOST, "next", "last"}) {
            assertThat(subscription.receive(SOON).orElseThrow().text("text")).contains(text);
        }
        assertThat(publisher.droppedMessages()).isZero();
    }
}
