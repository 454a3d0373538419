package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.bytes;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.AsyncCloseable;
import io.parley.common.AsyncCloseableContractTest;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A messenger is closed after its queued messages are sent and its channel has ended. */
class MessengerCloseContractTest extends AsyncCloseableContractTest {

    private final EndpointFixture fixture = new EndpointFixture();
    private final PeerEndpoint alice = fixture.start(EndpointLimits.DEFAULTS.toBuilder()
            .windowBytes(EndpointLimits.MIN_WINDOW_BYTES)
            .build());
    private final PeerEndpoint bob = fixture.start();

    MessengerCloseContractTest() {
        exchangeAddresses(alice, bob);
    }

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    @Override
    protected AsyncCloseable open() {
        alice.listen(SERVICE, ReceivedMessage::release);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        messenger.send(bytes(100));
        return messenger;
    }

    @Test
    void messenger_withQueuedMessages_isClosingUntilTheyAreSent() {
        Queue<ReceivedMessage> held = new ConcurrentLinkedQueue<>();
        alice.listen(SERVICE, held::add);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        join(messenger.send(bytes(EndpointLimits.MIN_WINDOW_BYTES)));
        CompletableFuture<Void> queued = messenger.send(bytes(1));
        EndpointFixture.until("the first message", () -> held.size() == 1);
        CompletableFuture<Void> closed = messenger.closeAsync();
        assertClosing(messenger);
        assertThat(queued).isNotDone();
        held.remove().release();
        join(closed);
        assertThat(queued).isCompleted();
        assertClosed(messenger);
        EndpointFixture.until("the second message", () -> held.size() == 1);
        held.remove().release();
    }
}
