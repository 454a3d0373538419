package io.parley.pipes.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.ManualScheduler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** The selection among the holders of a service, and the loss of a holder. */
class HolderTableTest {

    private final Set<PeerId> connected = new HashSet<>();
    private final List<PeerId> closed = new ArrayList<>();
    private final HolderTable holders = new HolderTable(
            (Endpoint) Proxy.newProxyInstance(
                    Endpoint.class.getClassLoader(),
                    new Class<?>[] {Endpoint.class},
                    (proxy, method, arguments) -> method.getName().equals("isConnected")
                            ? connected.contains(arguments[0])
                            : Identity.generate().peerId()),
            ServiceRequester.MAX_HOLDERS);
    private final PendingRequest request = new PendingRequest(
            1,
            new RequestRoute() {
                @Override
                public void onNotExecuted(PendingRequest failed, RequestAttempt attempt, ParleyException cause) {}

                @Override
                public boolean onLost(PendingRequest failed, RequestAttempt attempt, ParleyException cause) {
                    return false;
                }

                @Override
                public void onFinished(PendingRequest finished) {}

                @Override
                public ParleyException noHolder(Duration timeout) {
                    return ErrorCode.UNREACHABLE.exception("none");
                }
            },
            Message.EMPTY,
            Duration.ofSeconds(1),
            0);

    private final ManualScheduler time = new ManualScheduler();
    private final List<HolderChannel> lost = new ArrayList<>();
    private final HolderWatch watch = new HolderWatch(
            (PeerGroup) Proxy.newProxyInstance(
                    PeerGroup.class.getClassLoader(),
                    new Class<?>[] {PeerGroup.class},
                    (proxy, method, arguments) ->
                            method.getName().equals("scheduler") ? time : (Executor) Runnable::run),
            holders,
            lost::add);

    private HolderChannel add() {
        PeerId peer = Identity.generate().peerId();
        connected.add(peer);
        holders.add(messenger(peer));
        return Objects.requireNonNull(holders.find(peer), "the holder");
    }

    private Messenger messenger(PeerId peer) {
        return (Messenger) Proxy.newProxyInstance(
                Messenger.class.getClassLoader(), new Class<?>[] {Messenger.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("peer")) {
                        return peer;
                    }
                    closed.add(peer);
                    return CompletableFuture.completedFuture(null);
                });
    }

    @Test
    void select_returnsTheConnectedHolderWithTheFewestRequests() {
        assertThat(holders.select(request)).isNull();
        HolderChannel one = add();
        HolderChannel other = add();
        one.addRequest();
        assertThat(holders.select(request)).isSameAs(other);
        other.addRequest();
        other.addRequest();
        assertThat(holders.select(request)).isSameAs(one);
        one.setConnected(false);
        assertThat(holders.select(request)).isSameAs(other);
        request.addBusyPeer(other.peer());
        assertThat(holders.select(request)).isSameAs(one);
        request.addBusyPeer(one.peer());
        assertThat(holders.select(request)).isNull();
        assertThat(holders.selectAny()).isSameAs(other);
    }

    @Test
    void fullTable_replacesOnlyAHolderWithoutConnectionAndRequests() {
        List<HolderChannel> known = new ArrayList<>();
        while (known.size() < ServiceRequester.MAX_HOLDERS) {
            known.add(add());
        }
        assertThat(holders.hasRoom()).isFalse();
        PeerId refused = Identity.generate().peerId();
        holders.add(messenger(refused));
        assertThat(closed).containsExactly(refused);
        known.get(3).setConnected(false);
        known.get(3).addRequest();
        assertThat(holders.hasRoom()).isFalse();
        known.get(3).removeRequest();
        assertThat(holders.hasRoom()).isTrue();
        add();
        assertThat(closed).containsExactly(refused, known.get(3).peer());
        assertThat(holders.hasRoom()).isFalse();
    }

    @Test
    void knownHolder_isNotAddedAgain() {
        HolderChannel known = add();
        holders.add(messenger(known.peer()));
        assertThat(closed).containsExactly(known.peer());
        assertThat(holders.find(known.peer())).isSameAs(known);
    }

    @Test
    void holder_thatIsConnectedAgainInTime_isNotLost_thoughItsNextConnectionBreaks() {
        HolderChannel holder = add();
        holder.addRequest();
        watch.onDisconnected(holder.peer());
        time.advance(Duration.ofMillis(900));
        watch.onConnected(holder.peer());
        watch.onDisconnected(holder.peer());
        time.advance(Duration.ofMillis(999));
        assertThat(lost).isEmpty();
        time.advance(Duration.ofMillis(1));
        assertThat(lost).containsExactly(holder);
        assertThat(time.pending()).isZero();
    }

    @Test
    void holder_thatIsNotConnected_isLostSomeTimeAfterItsFirstRequest() {
        HolderChannel holder = add();
        watch.onDisconnected(holder.peer());
        time.advance(Duration.ofMinutes(1));
        holder.addRequest();
        watch.checkLater(holder);
        time.advance(Duration.ofMillis(900));
        watch.checkLater(holder);
        assertThat(lost).isEmpty();
        time.advance(Duration.ofMillis(100));
        assertThat(lost).containsExactly(holder);
    }
}
