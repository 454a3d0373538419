package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.bytes;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.transport.EndpointAddress;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages that are cancelled while they wait in the queue, and after that. */
class SendCancelTest {

    private static final int SIZE = 10_000;

    private static final EndpointLimits SMALL = EndpointLimits.DEFAULTS.toBuilder()
            .windowBytes(8 * SIZE)
            .queueBytes(8 * SIZE)
            .build();

    private final EndpointFixture fixture = new EndpointFixture();
    private final BlockingQueue<ReceivedMessage> held = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void cancel_ofAQueuedMessage_makesRoom_andItNeverArrives() throws Exception {
        PeerEndpoint alice = fixture.start(SMALL);
        PeerEndpoint bob = fixture.start(SMALL);
        exchangeAddresses(alice, bob);
        alice.listen(SERVICE, held::add);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        join(messenger.resolve());
        CompletableFuture<Void> first = messenger.send(bytes(SIZE));
        until("the window to fill", () -> {
            if (messenger.isWritable()) {
                messenger.send(bytes(SIZE));
            }
            return held.size() == 8;
        });
        CompletableFuture<Void> last = first;
        while (messenger.isWritable()) {
            last = messenger.send(bytes(SIZE));
        }
        CompletableFuture<Void> room = messenger.whenWritable();
        assertThat(last.cancel(false)).isTrue();
        assertThat(last).isCancelled();
        assertThat(messenger.isWritable()).isTrue();
        assertThat(first.cancel(false)).isFalse();
        assertThat(first.isCancelled()).isFalse();
        CompletableFuture<Void> end = messenger.send(text("end"));
        int large = 0;
        Message next = null;
        while (next == null || next.text("text").isEmpty()) {
            ReceivedMessage received = held.take();
            next = received.message();
            large += next.payloadBytes() == SIZE ? 1 : 0;
            received.release();
        }
        join(end);
        join(room);
        assertThat(large).as("messages that were not cancelled").isPositive();
        assertThat(last).isCancelled();
        assertThat(held).isEmpty();
    }

    @Test
    void cancel_afterTheMessageHasArrived_hasNoEffect() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        alice.listen(SERVICE, ReceivedMessage::release);
        CompletableFuture<Void> sent = bob.messenger(alice.peerId(), SERVICE).send(text("hello"));
        join(sent);
        assertThat(sent.cancel(false)).isFalse();
        assertThat(sent).isCompleted();
    }

    private PeerEndpoint start(Identity identity) {
        PeerEndpoint endpoint = fixture.start(identity, EndpointLimits.DEFAULTS);
        join(endpoint.listen(EndpointAddress.parse("mem://any")));
        return endpoint;
    }

    @Test
    void remoteInstance_differsAfterARestart() {
        Identity identity = Identity.generate();
        PeerEndpoint bob = fixture.start();
        PeerEndpoint before = start(identity);
        exchangeAddresses(before, bob);
        assertThat(bob.remoteInstance(before.peerId())).isEmpty();
        join(bob.connect(before.peerId()));
        OptionalLong first = bob.remoteInstance(before.peerId());
        assertThat(first).isPresent();
        before.close();
        until("the disconnect", () -> bob.remoteInstance(identity.peerId()).isEmpty());
        PeerEndpoint after = start(identity);
        exchangeAddresses(after, bob);
        join(bob.connect(after.peerId()));
        assertThat(bob.remoteInstance(after.peerId())).isPresent().isNotEqualTo(first);
    }
}
