package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static io.parley.endpoint.internal.ReconnectingPeer.LIMITS;
import static io.parley.endpoint.internal.ReconnectingPeer.NONE;
import static io.parley.endpoint.internal.ReconnectingPeer.lose;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.internal.WireStatus;
import io.parley.endpoint.ChannelListener;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.internal.frame.ChannelProtection;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.inbound.InboundSequence;
import io.parley.endpoint.internal.inbound.InboundSequences;
import io.parley.testkit.Eventually;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Acknowledgements of the messages that an endpoint receives. The remote peer is written frame by frame. */
class InboundAcknowledgementTest {

    private final EndpointFixture fixture =
            new EndpointFixture(3); // so that two connections of one peer are on different event loops

    private final PeerEndpoint alice = fixture.start(LIMITS);
    private final ReconnectingPeer bob = new ReconnectingPeer(fixture);

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    private final LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();

    private void listen() {
        alice.listen(SERVICE, message -> {
            received.add(message.message().text("text").orElseThrow());
            message.release();
        });
    }

    private static void openChannel(RawPeer raw, int handle, long base) {
        openChannel(raw, handle, 5, base);
    }

    private static void openChannel(RawPeer raw, int handle, long channel, long base) {
        raw.write(frames -> frames.open(handle, new Open(SERVICE, "", OptionalLong.of(channel), base)));
    }

    @Test
    void receivedMessages_areAcknowledged() throws Exception {
        listen();
        RawPeer raw = bob.connect(alice);
        openChannel(raw, 1, 0);
        assertThat(raw.expect("OPENED")).doesNotContain("received");
        raw.message(1, text("a"));
        raw.expect("ACK 1 1");
        raw.message(1, text("b"));
        raw.expect("ACK 1 2");
        assertThat(received).containsExactly("a", "b");
    }

    @Test
    void resumedChannel_statesWhatHasArrived() throws Exception {
        listen();
        RawPeer raw = bob.connect(alice);
        openChannel(raw, 1, 0);
        raw.message(1, text("a"));
        raw.message(1, text("b"));
        raw.expect("ACK 1 2");
        lose(alice, raw);
        RawPeer next = bob.connect(alice);
        openChannel(next, 1, 1);
        assertThat(next.expect("OPENED")).endsWith("received 2");
        next.message(1, text("c"));
        next.expect("ACK 1 3");
        assertThat(received).containsExactly("a", "b", "c");
    }

    @Test
    void replacedConnection_theEarlierOneHasDeliveredItsLastMessageBefore() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        List<String> order = new CopyOnWriteArrayList<>();
        alice.listen(SERVICE, message -> {
            String name = message.message().text("text").orElseThrow();
            order.add("begin " + name);
            if (name.equals("a")) {
                entered.countDown();
                Eventually.latch(leave, "the test");
            }
            order.add("end " + name);
            message.release();
        });
        RawPeer raw = bob.connect(alice);
        openChannel(raw, 1, 0);
        raw.expect("OPENED");
        raw.message(1, text("a"));
        entered.await();
        // The next connection is served by another event loop while the first is in the listener.
        RawPeer next = bob.replace(alice);
        openChannel(next, 1, 0);
        next.write(frames -> frames.ping(42));
        next.expect("PONG 42");
        leave.countDown();
        assertThat(next.expect("OPENED")).endsWith("received 1");
        next.message(1, text("b"));
        next.expect("ACK 1 2");
        assertThat(order).containsExactly("begin a", "end a", "begin b", "end b");
    }

    @Test
    void channelThatEnds_whileItWaitsForTheEarlierConnection_isReportedAsEnded() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        alice.listenToChannels(SERVICE, ServiceOptions.DEFAULTS, peer -> new ChannelListener() {
            @Override
            public void onMessage(ReceivedMessage message) {
                entered.countDown();
                Eventually.latch(leave, "the test");
                message.release();
                received.add("message");
            }

            @Override
            public void onInterrupted() {
                received.add("interrupted");
            }

            @Override
            public void onEnded() {
                received.add("ended");
            }

            @Override
            public void onLost() {
                received.add("lost");
            }
        });
        RawPeer raw = bob.connect(alice);
        openChannel(raw, 1, 0);
        raw.expect("OPENED");
        raw.message(1, text("a"));
        entered.await();
        RawPeer next = bob.replace(alice);
        openChannel(next, 1, 0);
        next.write(frames -> frames.end(1));
        next.write(frames -> frames.ping(42));
        next.expect("PONG 42");
        leave.countDown();
        until("the end", () -> received.size() == 3);
        assertThat(received).containsExactly("message", "interrupted", "ended");
        openChannel(next, 2, 0);
        assertThat(next.expect("OPENED 2")).doesNotContain("received");
    }

    @Test
    void lostConnection_channelsAreInterrupted_inTheOrderInWhichTheyWereOpened() throws Exception {
        int channels = 30;
        List<Integer> opened = new CopyOnWriteArrayList<>();
        List<Integer> interrupted = new CopyOnWriteArrayList<>();
        alice.listenToChannels(SERVICE, ServiceOptions.DEFAULTS, peer -> {
            int number = opened.size();
            opened.add(number);
            return new ChannelListener() {
                @Override
                public void onMessage(ReceivedMessage message) {
                    message.release();
                }

                @Override
                public void onInterrupted() {
                    interrupted.add(number);
                }
            };
        });
        RawPeer raw = bob.connect(alice);
        for (int handle = 1; handle <= channels; handle++) {
            openChannel(raw, handle, handle, 0);
            raw.expect("OPENED " + handle);
        }
        lose(alice, raw);
        until("all interruptions", () -> interrupted.size() == channels);
        assertThat(interrupted).isEqualTo(opened);
    }

    @Test
    void channelsThatWaitForTheEarlierConnection_areBounded_andTheRefusalStatesTheirNumber() throws Exception {
        PeerEndpoint carol = fixture.start(LIMITS.toBuilder().maxChannels(2).build());
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        carol.listen(SERVICE, message -> {
            entered.countDown();
            Eventually.latch(leave, "the test");
            message.release();
        });
        RawPeer first = bob.connect(carol);
        openChannel(first, 1, 7, 0);
        first.expect("OPENED 1");
        lose(carol, first);
        RawPeer second = bob.connect(carol);
        openChannel(second, 1, 5, 0);
        openChannel(second, 2, 6, 0);
        second.expect("OPENED 2");
        second.message(1, text("a"));
        entered.await();
        RawPeer third = bob.replace(carol);
        openChannel(third, 1, 5, 0);
        openChannel(third, 2, 6, 0);
        openChannel(third, 3, 7, 0);
        third.expect("REFUSE 3 BUSY");
        assertThat(third.refusal()).startsWith("maxChannels: 2 of 2 channels wait for an earlier connection");
        leave.countDown();
        third.expect("OPENED 1");
        third.expect("OPENED 2");
    }

    @Test
    void endedChannel_isForgotten() throws Exception {
        listen();
        RawPeer raw = bob.connect(alice);
        openChannel(raw, 1, 0);
        raw.message(1, text("a"));
        raw.expect("ACK 1 1");
        raw.write(frames -> frames.end(1));
        openChannel(raw, 2, 1);
        assertThat(raw.expect("OPENED 2")).doesNotContain("received");
        raw.message(2, text("b"));
        raw.expect("ACK 2 2");
    }

    @Test
    void restartedSender_doesNotResumeTheChannelsOfItsEarlierRun() throws Exception {
        listen();
        RawPeer raw = bob.connect(alice);
        openChannel(raw, 1, 0);
        raw.message(1, text("a"));
        raw.expect("ACK 1 1");
        lose(alice, raw);
        RawPeer restarted = RawPeer.dial(fixture, alice, bob.identity);
        restarted.write(frames -> frames.hello(new io.parley.endpoint.internal.frame.Hello(
                1, bob.peerId(), 8, 9, NONE, List.of("binary"), 64L << 20, List.of())));
        restarted.expect("ACCEPT");
        openChannel(restarted, 1, 0);
        assertThat(restarted.expect("OPENED")).doesNotContain("received");
    }

    @Test
    void channelThatIsOpenAlready_isAViolation() throws Exception {
        listen();
        RawPeer raw = bob.connect(alice);
        openChannel(raw, 1, 0);
        raw.expect("OPENED");
        openChannel(raw, 2, 0);
        raw.expect("GOODBYE PROTOCOL_VIOLATION");
    }

    @Test
    void orderlyClose_isAcknowledgedFirst() throws Exception {
        LinkedBlockingQueue<ReceivedMessage> kept = new LinkedBlockingQueue<>();
        alice.listen(SERVICE, kept::add);
        RawPeer raw = bob.connect(alice);
        openChannel(raw, 1, 0);
        raw.expect("OPENED");
        raw.message(1, text("a"));
        raw.write(frames -> frames.goodbye(WireStatus.ok()));
        raw.expect("ACK 1 1");
        raw.expect("GOODBYE");
        kept.forEach(ReceivedMessage::release);
    }

    /** A remote peer can restart while frames of its last run are still in transit. */
    @Test
    void open_onAConnectionOfAnEarlierRun_isRefused_andTheChannelsOfTheLaterRunStay() throws Exception {
        alice.listen(SERVICE, ReceivedMessage::release);
        RawPeer raw = bob.connect(alice);
        InboundSequences sequences =
                Objects.requireNonNull(alice.association(bob.peerId())).inboundSequences();
        long laterRun = 8;
        sequences.startInstance(laterRun);
        InboundSequence later = sequences.tryCreate(laterRun, 1, 0, ChannelProtection.NONE);
        raw.write(frames -> frames.open(1, new Open(SERVICE, "", OptionalLong.of(2), 0)));
        raw.expect("REFUSE 1 DUPLICATE_CONNECTION");
        assertThat(alice.reservedBytes()).isZero();
        assertThat(sequences.find(laterRun, 1)).isNotNull().isSameAs(later);
        lose(alice, raw);
    }
}
