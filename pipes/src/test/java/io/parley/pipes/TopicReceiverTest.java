package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.SharedMessage;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The queue of one receiver of a topic. */
class TopicReceiverTest {

    @Test
    void offerWithoutRoom_fails() throws Exception {
        PeerId silent = Identity.generate().peerId();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); // which says nothing
                Peer peer = Peer.loopback().start()) {
            peer.endpoint()
                    .addPeerAddress(new PeerAddress(
                            silent, List.of(EndpointAddress.parse("tcp://127.0.0.1:" + server.getLocalPort()))));
            Messenger messenger = peer.endpoint().messenger(silent, ServiceAddress.of("topic"));
            messenger.limitQueue(1, 1000);
            TopicReceiver receiver = new TopicReceiver(
                    silent, 1, SubscriptionOptions.Overflow.BLOCK, "127.0.0.1", messenger, 0, dropped -> {});
            SharedMessage message = SharedMessage.of(Message.of("text", "news"));
            assertThat(receiver.isWritable()).isTrue();
            receiver.offer(message);
            assertThat(receiver.isWritable()).isFalse();
            assertThatThrownBy(() -> receiver.offer(message))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no room");
            messenger.abort();
        }
    }
}
