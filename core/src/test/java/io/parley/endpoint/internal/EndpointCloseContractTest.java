package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.link;

import io.parley.common.AsyncCloseable;
import io.parley.common.AsyncCloseableContractTest;
import io.parley.endpoint.ReceivedMessage;
import io.parley.testkit.Eventually;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An endpoint with a link is closed after the link and the transports are closed. */
class EndpointCloseContractTest extends AsyncCloseableContractTest {

    private final EndpointFixture fixture = new EndpointFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    @Override
    protected AsyncCloseable open() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        alice.listen(SERVICE, ReceivedMessage::release);
        join(bob.send(alice.peerId(), SERVICE, EndpointFixture.text("hello")));
        return bob;
    }

    @Test
    void endpoint_whoseRemotePeerIsSlow_isClosingUntilItsLinkIsClosed() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        join(bob.connect(alice.peerId()));
        CountDownLatch proceed = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(1);
        link(alice, bob).context().run(() -> {
            blocked.countDown();
            Eventually.latch(proceed, "the end of the test");
        });
        Eventually.latch(blocked, "the event loop to be blocked");
        CompletableFuture<Void> closed = bob.closeAsync();
        assertClosing(bob);
        proceed.countDown();
        join(closed);
        assertClosed(bob);
    }
}
