package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.testkit.ConfirmationProcess;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Topics over TCP and TLS, found through a rendezvous: several codecs, large messages, and a process that is killed. */
class TopicTcpTest {

    private static final Duration SOON = Eventually.DEADLINE;

    private static void awaitReceivers(TopicPublisher publisher, int count) {
        Eventually.until(
                () -> count + " receivers instead of " + publisher.receivers(),
                () -> publisher.receivers().size() == count);
    }

    private static Message message(int number, int size) {
        return Message.builder()
                .add("n", Integer.toString(number))
                .add("content", new byte[size])
                .build();
    }

    @Test
    void subscribersWithDifferentCodecs_getTheSameMessages() throws InterruptedException {
        int[] sizes = {0, 100, 10_000, 500_000, 100};
        List<AutoCloseablePeer> opened = new ArrayList<>();
        try (Peer rendezvous = Peer.loopback().actAsRendezvous().start();
                Peer publishing = Peer.loopback()
                        .rendezvous(rendezvous.address().toString())
                        .start();
                TopicPublisher publisher =
                        Pipes.of(publishing).topic("documents").openPublisher()) {
            for (String codec : List.of("binary", "xml", "fastinfoset", "fastinfoset")) {
                opened.add(AutoCloseablePeer.subscribe(rendezvous, codec));
            }
            awaitReceivers(publisher, opened.size());
            for (int i = 0; i < sizes.length; i++) {
                publisher.send(message(i, sizes[i]), SOON);
            }
            for (AutoCloseablePeer subscriber : opened) {
                for (int i = 0; i < sizes.length; i++) {
                    Message received =
                            subscriber.subscription.receive(SOON).orElseThrow().message();
                    assertThat(received).as(subscriber.codec).isEqualTo(message(i, sizes[i]));
                }
            }
        } finally {
            opened.forEach(AutoCloseablePeer::close);
        }
    }

    /** A subscriber with one codec only. */
    private record AutoCloseablePeer(String codec, Peer peer, TopicSubscription subscription) {

        static AutoCloseablePeer subscribe(Peer rendezvous, String codec) {
            Peer peer = Peer.loopback()
                    .codecs(codec)
                    .rendezvous(rendezvous.address().toString())
                    .start();
            return new AutoCloseablePeer(
                    codec, peer, Pipes.of(peer).topic("documents").subscribe(SubscriptionOptions.blocking()));
        }

        void close() {
            subscription.close();
            peer.close();
        }
    }

    @Test
    void killedSubscriber_isRemoved_theOthersLoseNothing_andAnotherTakesPart() throws Exception {
        try (Peer rendezvous = Peer.loopback().actAsRendezvous().start();
                Peer publishing = Peer.loopback()
                        .rendezvous(rendezvous.address().toString())
                        .start();
                Peer staying = Peer.loopback()
                        .rendezvous(rendezvous.address().toString())
                        .start();
                TopicPublisher publisher = Pipes.of(publishing).topic("numbers").openPublisher();
                TopicSubscription subscription =
                        Pipes.of(staying).topic("numbers").subscribe(SubscriptionOptions.blocking())) {
            Queue<PeerId> closed = new ConcurrentLinkedQueue<>();
            publisher.addReceiverListener(new TopicPublisher.ReceiverListener() {
                @Override
                public void onClosed(PeerId receiver) {
                    closed.add(receiver);
                }
            });
            int sent = 0;
            for (int round = 0; round < 2; round++) {
                try (ConfirmationProcess process =
                        TopicSubscriberProcess.start(rendezvous.address().toString(), "numbers")) {
                    awaitReceivers(publisher, 2);
                    while (process.confirmed() < 50) {
                        publisher.send(message(sent++, 1000), SOON);
                        assertThat(subscription.receive(SOON).orElseThrow().text("n"))
                                .contains(Integer.toString(sent - 1));
                    }
                }
                awaitReceivers(publisher, 1);
            }
            publisher.send(message(sent, 1000), SOON);
            assertThat(subscription.receive(SOON).orElseThrow().text("n")).contains(Integer.toString(sent));
            Eventually.until(() -> "2 closed receivers instead of " + closed, () -> closed.size() == 2);
            assertThat(closed).doesNotContain(staying.id());
        }
    }
}
