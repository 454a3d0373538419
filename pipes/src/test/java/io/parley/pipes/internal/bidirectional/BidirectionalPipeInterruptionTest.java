package io.parley.pipes.internal.bidirectional;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.endpoint.ChannelAcceptor;
import io.parley.endpoint.ChannelListener;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.BidirectionalPipeListener;
import io.parley.pipes.ManualTimeGroup;
import io.parley.pipes.internal.PipeOptions;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.memory.InMemoryNetwork;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The events of a bidirectional pipe whose connections are lost. The test makes and loses them in any order. */
class BidirectionalPipeInterruptionTest {

    private final Peer peer = Peer.builder()
            .name("end")
            .transport(new InMemoryNetwork(1).transportProvider())
            .multicast(false)
            .start();
    private final PeerId remote = PeerId.ofBytes(new byte[PeerId.BYTES]);
    private final List<ChannelAcceptor> acceptors = new ArrayList<>();

    /** The calls of the pipe that wait for a connection. */
    private final List<CompletableFuture<Void>> connects = new CopyOnWriteArrayList<>();

    /** The calls of the pipe that wait for the channel to the other end. */
    private final List<CompletableFuture<Void>> opens = new ArrayList<>();

    private final List<String> events = new ArrayList<>();
    private final ManualScheduler time = new ManualScheduler();

    /** The listener by which the pipe learns of connections to all peers, after it was interrupted. */
    private PeerConnectionListener connections = new PeerConnectionListener() {};

    /** Called in the listener. */
    private Runnable duringInterruption = () -> {};

    private PeerGroup group;
    private boolean connected = true;
    private final MessengerBidirectionalPipe end = newEnd();
    private final ChannelListener input = acceptors.get(0).accept(remote);

    private MessengerBidirectionalPipe newEnd() {
        Endpoint endpoint = view(Endpoint.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "connect" -> added(connects);
            case "isConnected" -> connected;
            case "addPeerConnectionListener" -> {
                connections = (PeerConnectionListener) arguments[0];
                yield method.invoke(peer.endpoint(), arguments);
            }
            case "messenger" -> messenger((Messenger) method.invoke(peer.endpoint(), arguments));
            case "listenToChannels" -> {
                acceptors.add((ChannelAcceptor) arguments[2]);
                yield method.invoke(peer.endpoint(), arguments);
            }
            default -> method.invoke(peer.endpoint(), arguments);
        });
        PeerGroup real = peer.netGroup();
        group = ManualTimeGroup.of(
                view(
                        PeerGroup.class,
                        (proxy, method, arguments) ->
                                method.getName().equals("endpoint") ? endpoint : method.invoke(real, arguments)),
                time);
        MessengerBidirectionalPipe created =
                new MessengerBidirectionalPipe(group, remote, PipeOptions.DEFAULTS, new Recorder(), null);
        created.connectTo("0".repeat(32), Message.EMPTY);
        return created;
    }

    private Messenger messenger(Messenger real) {
        return view(
                Messenger.class,
                (proxy, method, arguments) ->
                        method.getName().equals("resolve") ? added(opens) : method.invoke(real, arguments));
    }

    private static <T> T view(Class<T> type, InvocationHandler calls) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
    }

    private static CompletableFuture<Void> added(List<CompletableFuture<Void>> calls) {
        CompletableFuture<Void> call = new CompletableFuture<>();
        calls.add(call);
        return call;
    }

    private final class Recorder implements BidirectionalPipeListener {

        @Override
        public void onMessage(ReceivedMessage message) {}

        @Override
        public void onEnd() {}

        @Override
        public void onFailed(ParleyException reason) {}

        @Override
        public void onInterrupted() {
            events.add("interrupted");
            duringInterruption.run();
        }

        @Override
        public void onResumed() {
            events.add("resumed");
        }
    }

    /** Loses a connection on which the channel was open, which the endpoint reports twice. */
    private void lose() {
        connections.onDisconnected(remote);
        input.onInterrupted();
    }

    @AfterEach
    void close() {
        end.abort();
        peer.close();
    }

    @Test
    void channelOfAConnectionThatIsLostAgain_doesNotEndTheNextInterruption() {
        input.onInterrupted();
        connects.get(0).complete(null);
        lose(); // the channel was open, and this end did not learn of it
        opens.get(0).complete(null);
        assertThat(events).containsExactly("interrupted", "interrupted");
        connects.get(1).complete(null);
        opens.get(1).complete(null);
        assertThat(events).containsExactly("interrupted", "interrupted", "resumed");
    }

    @Test
    void connectionThatIsLostAsItIsReported_isMadeAgain() {
        input.onInterrupted();
        input.onInterrupted(); // the connection was made, and nobody has learned of it
        connects.get(0).complete(null);
        assertThat(opens).as("channels over the lost connection").isEmpty();
        assertThat(connects).hasSize(2);
        connects.get(1).complete(null);
        opens.get(0).complete(null);
        assertThat(events).containsExactly("interrupted", "interrupted", "resumed");
    }

    @Test
    void connectionThatIsLostBeforeTheChannelIsOpen_isAnInterruptionToo() {
        input.onInterrupted();
        connects.get(0).complete(null);
        opens.get(0).complete(null);
        assertThat(events).containsExactly("interrupted", "resumed");
        connections.onDisconnected(peer.id());
        connections.onDisconnected(remote);
        assertThat(events).containsExactly("interrupted", "resumed", "interrupted");
        connects.get(1).complete(null);
        opens.get(1).complete(null);
        assertThat(events).containsExactly("interrupted", "resumed", "interrupted", "resumed");
    }

    @Test
    void connectionThatIsLostBeforeItIsWatched_isMadeAgain() {
        input.onInterrupted();
        connected = false;
        connects.get(0).complete(null);
        assertThat(events).containsExactly("interrupted", "interrupted");
        connected = true;
        connects.get(1).complete(null);
        opens.get(0).complete(null);
        assertThat(events).containsExactly("interrupted", "interrupted", "resumed");
    }

    @Test
    void connectionThatIsLostAfterTheChannelIsOpen_isOneInterruption() {
        input.onInterrupted();
        connects.get(0).complete(null);
        opens.get(0).complete(null);
        lose(); // nothing has arrived
        assertThat(events).containsExactly("interrupted", "resumed", "interrupted");
        connects.get(1).complete(null);
        opens.get(1).complete(null);
        input.onMessage(message());
        lose();
        assertThat(events).containsExactly("interrupted", "resumed", "interrupted", "resumed", "interrupted");
    }

    private static ReceivedMessage message() {
        return view(
                ReceivedMessage.class,
                (proxy, method, arguments) -> method.getName().equals("message") ? Message.of("text", "a") : null);
    }

    @Test
    void remotePeerThatEndsEachConnection_isNotDialedAtFullSpeed() {
        for (int i = 0; i < 8; i++) {
            input.onInterrupted();
            connects.get(i).complete(null);
            opens.get(i).complete(null);
            input.onMessage(message());
        }
        input.onInterrupted();
        assertThat(connects).hasSize(8);
        time.advance(Duration.ofMillis(250));
        Eventually.until(() -> "no further attempt", () -> connects.size() == 9);
    }

    /** As if another thread of the application ended the pipe with a lock for which the listener waits. */
    @Test
    void pipe_canBeEndedWhileItsListenerIsCalled() {
        input.onInterrupted();
        connects.get(0).complete(null); // so that losses are reported by connections
        duringInterruption = () -> {
            Eventually.get(CompletableFuture.runAsync(end::abort), "the end of the pipe");
            events.add("ended");
        };
        connections.onDisconnected(remote);
        assertThat(events).containsExactly("interrupted", "interrupted", "ended");
    }

    @Test
    void pipeWhoseGroupWasLeft_connectsAgain() {
        input.onInterrupted();
        connects.get(0).complete(null);
        opens.get(0).complete(null);
        ConnectionLosses.of(group).close();
        input.onInterrupted();
        assertThat(events).containsExactly("interrupted", "resumed", "interrupted");
        assertThat(connects).hasSize(2);
    }
}
