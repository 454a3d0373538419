package io.parley.pipes.internal.bidirectional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.common.AsyncCloseable;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.Messenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.pipes.BidirectionalPipe;
import io.parley.pipes.BidirectionalPipes;
import io.parley.pipes.ManualTimeGroup;
import io.parley.pipes.PipeAcceptor;
import io.parley.pipes.PipeLimits;
import io.parley.pipes.PipePeers;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.PipeResolver;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that speaks the protocol of bidirectional pipes by hand, and not as it should. */
@Timeout(120)
class BidirectionalPipeHostilePeerTest {

    private static final String END = "0123456789abcdef0123456789abcdef";

    private final PipePeers peers = new PipePeers();
    private final Peer host = peers.start(peers.builder("host").multicast(false));
    private final Peer hostile = peers.start(peers.builder("hostile").multicast(false));
    private final ManualScheduler time = new ManualScheduler();
    private final BlockingQueue<BidirectionalPipe> accepted = new LinkedBlockingQueue<>();

    /** The end of the hostile peer. */
    private AsyncCloseable end;

    /** The messages that arrive at the end of the hostile peer. */
    private final BlockingQueue<Message> received = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        peers.close();
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        return Objects.requireNonNull(queue.poll(Eventually.DEADLINE.toSeconds(), TimeUnit.SECONDS), "nothing came");
    }

    private static Message text(String text) {
        return Message.of("text", text);
    }

    /** Opens an acceptor in manual time, and connects to it by hand. Returns the pipe of the acceptor. */
    private BidirectionalPipe connectByHand() throws InterruptedException {
        return connectByHand(acceptor(), END);
    }

    private PipeAcceptor acceptor() {
        return BidirectionalPipes.of(ManualTimeGroup.of(host.netGroup(), time))
                .accept(PipeId.random(GroupId.NET), request -> accepted.add(request.accept()));
    }

    private BidirectionalPipe connectByHand(PipeAcceptor acceptor, String ownEnd) throws InterruptedException {
        hostile.endpoint().addPeerAddress(host.address());
        end = hostile.endpoint().listen(PipeProtocol.endService(ownEnd), message -> {
            received.add(message.message());
            message.release();
        });
        Eventually.get(
                hostile.endpoint()
                        .send(
                                host.id(),
                                PipeResolver.service(acceptor.id()),
                                PipeProtocol.opening(PipeProtocol.CONNECT, ownEnd, Message.EMPTY)),
                "request");
        return next(accepted);
    }

    @Test
    void acceptedPeer_thatDoesNotOpenItsDirection_isGivenUp() throws InterruptedException {
        BidirectionalPipe pipe = connectByHand();
        time.advance(PipeLimits.DEFAULTS.acceptTimeout());
        assertThat(ParleyException.unwrap(Eventually.failure(pipe.receiveAsync(), "the pipe")))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISCONNECTED))
                .hasMessageContaining("has not opened its direction within");
        Eventually.get(pipe.whenClosed(), "closed pipe");
    }

    @Test
    void idlePipe_whoseMessagesTheRemotePeerRefuses_fails() throws InterruptedException {
        BidirectionalPipe pipe = connectByHand();
        String otherEnd = PipeProtocol.end(next(received), PipeProtocol.ACCEPT);
        Messenger messenger = hostile.endpoint().messenger(host.id(), PipeProtocol.endService(otherEnd));
        Eventually.get(messenger.resolve(), "direction of the hostile peer"); // which it does not end
        end.closeAsync();
        assertThat(ParleyException.unwrap(Eventually.failure(pipe.receiveAsync(), "the pipe")))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISCONNECTED))
                .hasMessageContaining("lost the remote peer");
        Eventually.get(pipe.whenClosed(), "closed pipe");
    }

    @Test
    void messagesAfterTheEnd_areIgnored_andTheOtherDirectionContinues() throws InterruptedException {
        BidirectionalPipe pipe = connectByHand();
        String otherEnd = PipeProtocol.end(next(received), PipeProtocol.ACCEPT);
        Messenger messenger = hostile.endpoint().messenger(host.id(), PipeProtocol.endService(otherEnd));
        messenger.send(text("last"));
        messenger.send(PipeProtocol.ending(null));
        messenger.send(PipeProtocol.ending(ErrorCode.SERVICE_FAILED.exception("a second end")));
        Eventually.get(messenger.send(text("after the end")), "message after the end");
        assertThat(pipe.receive(Eventually.DEADLINE)).contains(text("last"));
        assertThat(pipe.receive(Eventually.DEADLINE)).isEmpty();
        assertThat(pipe.receive(Eventually.DEADLINE)).isEmpty();
        pipe.send(text("other direction"), Eventually.DEADLINE);
        assertThat(next(received)).isEqualTo(text("other direction"));
    }

    @Test
    void closeOutput_whoseEndTheRemotePeerRefusesAsOfAFullQueue_fails() throws InterruptedException {
        BidirectionalPipe pipe = connectByHand();
        String otherEnd = PipeProtocol.end(next(received), PipeProtocol.ACCEPT);
        Messenger messenger = hostile.endpoint().messenger(host.id(), PipeProtocol.endService(otherEnd));
        Eventually.get(messenger.send(PipeProtocol.ending(null)), "end of the hostile peer");
        assertThat(pipe.receive(Eventually.DEADLINE)).isEmpty();
        Eventually.get(end.closeAsync(), "refusal of the channel of the host");
        AtomicInteger channels = new AtomicInteger();
        PipeOptions.DEFAULTS.listen(hostile.endpoint(), PipeProtocol.endService(END), sender -> {
            channels.incrementAndGet();
            throw ErrorCode.QUEUE_FULL.exception("on purpose");
        });
        Eventually.get(messenger.send(text("after the refusal")), "message that the host gets after the refusal");
        assertThat(ParleyException.unwrap(Eventually.failure(pipe.closeOutput(), "the closed direction")))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISCONNECTED))
                .hasMessageContaining("on purpose");
        assertThat(channels).hasValue(1);
    }

    /** A remote peer opens as many pipes as it likes, so what it sends to them must not be a line each. */
    @Test
    void endsInAnUnknownCharset_endTheirPipes_andAreNotLogged() throws InterruptedException {
        PipeAcceptor acceptor = acceptor();
        MessageElement unknown = MessageElement.ofText(PipeProtocol.END, ErrorCode.SERVICE_FAILED.number() + " text")
                .withNamespace(PipeProtocol.NAMESPACE)
                .withType("text/plain;charset=none");
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 5; i++) {
                BidirectionalPipe pipe = connectByHand(acceptor, END.substring(1) + i);
                String otherEnd = PipeProtocol.end(next(received), PipeProtocol.ACCEPT);
                hostile.endpoint()
                        .messenger(host.id(), PipeProtocol.endService(otherEnd))
                        .send(Message.of(unknown));
                assertThat(ParleyException.unwrap(Eventually.failure(pipe.receiveAsync(), "the pipe")))
                        .isInstanceOfSatisfying(
                                ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SERVICE_FAILED));
                Eventually.get(pipe.whenClosed(), "closed pipe");
            }
            assertThat(log.lines("WARN")).isEmpty();
        }
    }

    @Test
    void acceptTimeoutOutOfRange_isRefused() {
        assertThatThrownBy(() -> new PipeLimits(1, 1, 1, 1, EndpointLimits.MAX_TIMEOUT.plusNanos(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("acceptTimeout");
    }

    @Test
    void requestThatExpires_isRefused_alsoIfThereIsNoThread() {
        Executor full = task -> {
            throw new RejectedExecutionException("on purpose");
        };
        PeerGroup group = (PeerGroup) Proxy.newProxyInstance(
                PeerGroup.class.getClassLoader(), new Class<?>[] {PeerGroup.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "workExecutor":
                            return full;
                        case "scheduler":
                            return time;
                        default:
                            return method.invoke(host.netGroup(), arguments);
                    }
                });
        PipeAcceptor acceptor = BidirectionalPipes.of(group)
                .accept(
                        PipeId.random(GroupId.NET),
                        request -> time.advance(PipeLimits.DEFAULTS.acceptTimeout()),
                        Runnable::run);
        hostile.endpoint().addPeerAddress(host.address());
        Throwable refusal = Eventually.failure(
                BidirectionalPipes.of(hostile).connectAsync(host.id(), acceptor.id(), Eventually.DEADLINE),
                "the connect");
        assertThat(ParleyException.unwrap(refusal))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT))
                .hasMessageContaining("the request was not accepted within 30 s");
    }

    @Test
    void acceptThatFails_isAnswered_andItsPlaceIsFree() {
        AtomicBoolean failing = new AtomicBoolean(true);
        PeerGroup group = (PeerGroup) Proxy.newProxyInstance(
                PeerGroup.class.getClassLoader(), new Class<?>[] {PeerGroup.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("callbackExecutor") && failing.getAndSet(false)) {
                        throw new InternalError("on purpose");
                    }
                    return method.invoke(host.netGroup(), arguments);
                });
        PipeAcceptor acceptor = BidirectionalPipes.of(group)
                .withLimits(new PipeLimits(1, 1, 16, 16, Eventually.DEADLINE))
                .accept(PipeId.random(GroupId.NET), request -> accepted.add(request.accept()), Runnable::run);
        hostile.endpoint().addPeerAddress(host.address());
        BidirectionalPipes pipes = BidirectionalPipes.of(hostile);
        Throwable refusal =
                Eventually.failure(pipes.connectAsync(host.id(), acceptor.id(), Eventually.DEADLINE), "the connect");
        assertThat(ParleyException.unwrap(refusal))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SERVICE_FAILED))
                .hasMessageContaining("the request could not be accepted");
        Eventually.get(pipes.connectAsync(host.id(), acceptor.id(), Eventually.DEADLINE), "the next connect");
    }
}
