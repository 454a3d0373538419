package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.frame.Open;
import io.parley.identity.Identity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A peer of a new host is served although other hosts hold all of the memory of an endpoint. */
@Tag("extended")
class FullMemoryNewcomerTest {

    private static final int WINDOW = EndpointLimits.MIN_WINDOW_BYTES;
    private static final long MEMORY = 128L * WINDOW;
    private static final int HOSTS = 5;
    private static final int MESSAGE = 3 * WINDOW;
    private static final ServiceAddress UNREAD = ServiceAddress.of("unread");

    private final EndpointFixture fixture = new EndpointFixture();
    private final Queue<ReceivedMessage> held = new ConcurrentLinkedQueue<>();
    private final PeerEndpoint alice = fixture.start(EndpointLimits.DEFAULTS.toBuilder()
            .windowBytes(WINDOW)
            .peerMemoryBytes(MEMORY)
            .totalMemoryBytes(MEMORY)
            .keepAliveInterval(Duration.ofMinutes(10)) // the raw peers do not respond to a ping
            .build());
    private final List<RawPeer> present = new ArrayList<>();

    FullMemoryNewcomerTest() {
        alice.listen(SERVICE, ReceivedMessage::release);
        alice.listen(UNREAD, held::add);
    }

    @AfterEach
    void close() {
        held.forEach(ReceivedMessage::release);
        fixture.close();
    }

    /** Connects a raw peer, which is a host of its own. */
    private RawPeer connect() throws InterruptedException {
        return RawPeer.connectAcknowledging(fixture, alice, Identity.generate(), 1, OptionalLong.empty());
    }

    private static String open(RawPeer peer, int handle, ServiceAddress service) throws InterruptedException {
        peer.write(frames -> frames.open(handle, new Open(service, "", OptionalLong.of(handle), 0)));
        return peer.expect("OPENED " + handle + " ", "REFUSE " + handle + " ");
    }

    /** Opens channels until one is refused, and sends a message on each if the service does not read. */
    private void fill(RawPeer peer, ServiceAddress service) throws InterruptedException {
        for (int handle = 1; open(peer, handle, service).startsWith("OPENED"); handle++) {
            if (service.equals(UNREAD)) {
                peer.message(handle, bytes(MESSAGE));
                if (peer.expect("ACK " + handle + " ", "REFUSE " + handle + " ").startsWith("REFUSE")) {
                    return;
                }
            }
        }
    }

    private void fillByHosts(ServiceAddress service) throws InterruptedException {
        for (int i = 0; i < HOSTS; i++) {
            present.add(connect());
        }
        for (RawPeer peer : present) {
            fill(peer, service);
        }
    }

    private void assertNewcomerIsServed() throws InterruptedException {
        RawPeer newcomer = connect();
        assertThat(open(newcomer, 1, SERVICE)).isEqualTo("OPENED 1 " + WINDOW);
        for (int i = 1; i <= 10; i++) {
            newcomer.message(1, bytes(1000));
            newcomer.expect("ACK 1 " + i);
        }
    }

    @Test
    void windowsOfSeveralHosts_holdAllMemory_newcomerIsServed() throws Exception {
        fillByHosts(SERVICE);
        assertThat(alice.reservedBytes()).isBetween(MEMORY, MEMORY + HOSTS * WINDOW);
        assertNewcomerIsServed();
        assertThat(open(present.get(0), 1000, SERVICE)).isEqualTo("REFUSE 1000 BUSY");
    }

    @Test
    void unreadMessagesOfSeveralHosts_holdAllMemory_newcomerIsServed() throws Exception {
        fillByHosts(UNREAD);
        assertThat(alice.reservedBytes()).isBetween(MEMORY - WINDOW, MEMORY + HOSTS * WINDOW);
        assertNewcomerIsServed();
        assertThat(open(present.get(0), 1000, SERVICE)).isEqualTo("REFUSE 1000 BUSY");
    }

    /** The memory is free for one host if no other one is present. */
    @Test
    void singleHost_holdsAllMemory_newcomerIsServed() throws Exception {
        RawPeer single = connect();
        fill(single, UNREAD);
        assertThat(MEMORY - alice.reservedBytes()).isLessThan(MESSAGE + 2 * WINDOW);
        assertNewcomerIsServed();
    }
}
