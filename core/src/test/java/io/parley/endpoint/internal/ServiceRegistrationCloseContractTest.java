package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.AsyncCloseable;
import io.parley.common.AsyncCloseableContractTest;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.testkit.Eventually;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The registration of a service is closed when its listener has returned and will not be called again. */
class ServiceRegistrationCloseContractTest extends AsyncCloseableContractTest {

    private final EndpointFixture fixture = new EndpointFixture();
    private final PeerEndpoint alice = fixture.start();
    private final PeerEndpoint bob = fixture.start();

    ServiceRegistrationCloseContractTest() {
        exchangeAddresses(alice, bob);
    }

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    @Override
    protected AsyncCloseable open() {
        AsyncCloseable registration = alice.listen(SERVICE, ReceivedMessage::release);
        join(bob.send(alice.peerId(), SERVICE, text("hello")));
        return registration;
    }

    @Test
    void registration_whoseListenerRuns_isClosingUntilItReturns_andItIsNotCalledAgain() {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch proceed = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        AsyncCloseable registration = alice.listen(SERVICE, received -> {
            calls.incrementAndGet();
            entered.countDown();
            Eventually.latch(proceed, "the test to proceed");
            received.release();
        });
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        join(messenger.resolve());
        messenger.send(text("first"));
        messenger.send(text("second"));
        Eventually.latch(entered, "the listener to be called");
        CompletableFuture<Void> closed = registration.closeAsync();
        assertClosing(registration);
        proceed.countDown();
        join(closed);
        assertClosed(registration);
        int callsUntilClosed = calls.get();
        join(bob.ping(alice.peerId()));
        assertThat(calls).hasValue(callsUntilClosed);
        alice.listen(SERVICE, ReceivedMessage::release).close();
    }

    @Test
    void listenerThatClosesItsRegistration_doesNotWaitForItself() {
        CompletableFuture<AsyncCloseable> registration = new CompletableFuture<>();
        CompletableFuture<Void> returned = new CompletableFuture<>();
        registration.complete(alice.listen(SERVICE, received -> {
            received.release();
            registration.join().close();
            returned.complete(null);
        }));
        bob.send(alice.peerId(), SERVICE, text("close"));
        join(returned);
        join(registration.join().whenClosed());
    }
}
