package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.common.AsyncCloseable;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.transport.Connection;
import io.parley.transport.memory.InMemoryNetwork;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Secure pipes over connections that authenticate the peers: their frames are not sealed, because the transport seals them. */
@Timeout(120)
class SecurePipeFramesTest {

    private static final Duration SOON = Eventually.DEADLINE;
    private static final byte SEALED = 0x28;
    private static final String SECRET = "it will rain in Halifax";
    private static final Message MESSAGE = Message.of("text", SECRET);

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final Queue<byte[]> frames = new ConcurrentLinkedQueue<>();
    private final Peer alice = builder("alice").actAsRendezvous().start();
    private final Peer bob = builder("bob").rendezvous("mem://alice").start();

    private PeerBuilder builder(String name) {
        return Peer.builder()
                .name(name)
                .transport(new InterceptedTransportProvider(network.transportProvider(), this::record))
                .multicast(false)
                .listen("mem://" + name);
    }

    private Object record(Connection connection, Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "write" -> frames.add(ByteBufUtil.getBytes((ByteBuf) arguments[0]));
            case "tryAppend" -> {
                return false; // so that all frames are written
            }
            default -> {}
        }
        return InterceptedTransportProvider.proceed(connection, method, arguments);
    }

    @AfterEach
    void close() {
        bob.close();
        alice.close();
    }

    private void assertNotSealed() {
        assertThat(frames).as("frames with the text").anyMatch(SecurePipeFramesTest::showsText);
        assertThat(frames).as("sealed frames").noneMatch(frame -> frame[0] == SEALED);
    }

    private static boolean showsText(byte[] frame) {
        return new String(frame, StandardCharsets.ISO_8859_1).contains(SECRET);
    }

    @Test
    void requests_areNotSealedTwice() throws Exception {
        Pipes.of(alice).secure().serve("forecast", PipeMessage::message);
        assertThat(Pipes.of(bob).secure().request("forecast", MESSAGE, SOON).message())
                .isEqualTo(MESSAGE);
        assertNotSealed();
    }

    @Test
    void bidirectionalPipes_areNotSealedTwice() throws Exception {
        BlockingQueue<BidirectionalPipe> accepted = new LinkedBlockingQueue<>();
        Pipes.of(alice).secure().bidirectional().accept("oracle", request -> accepted.add(request.accept()));
        try (BidirectionalPipe near = Pipes.of(bob).secure().bidirectional().connect("oracle", SOON)) {
            BidirectionalPipe far = accepted.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
            near.send(MESSAGE, SOON);
            assertThat(far.receive(SOON)).contains(MESSAGE);
            far.send(MESSAGE, SOON);
            assertThat(near.receive(SOON)).contains(MESSAGE);
        }
        assertNotSealed();
    }

    @Test
    void tasks_areNotSealedTwice() {
        try (AsyncCloseable worker =
                        Pipes.of(alice).secure().workQueue("render").work(task -> {});
                TaskSender sender = Pipes.of(bob).secure().workQueue("render").openSender()) {
            Eventually.get(sender.send(MESSAGE), "a task of " + worker);
        }
        assertNotSealed();
    }

    @Test
    void topicMessages_areNotSealedTwice() throws Exception {
        try (TopicPublisher publisher = Pipes.of(alice).secure().topic("prices").openPublisher();
                TopicSubscription subscription =
                        Pipes.of(bob).secure().topic("prices").subscribe(SubscriptionOptions.blocking())) {
            Eventually.until(() -> "a receiver", () -> publisher.receivers().contains(bob.id()));
            publisher.send(MESSAGE, SOON);
            assertThat(subscription.receive(SOON).orElseThrow().message()).isEqualTo(MESSAGE);
        }
        assertNotSealed();
    }
}
