package io.parley.pipes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.pipes.PipePeers;
import io.parley.pipes.Pipes;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connect by name that finds no holder fails with the reason. */
@Timeout(180)
class PipeConnectFailureTest {

    private static final Duration TIMEOUT = Eventually.DEADLINE;

    private final PipePeers peers = new PipePeers();

    @AfterEach
    void close() {
        peers.close();
    }

    /** Long enough for the search for members, which explains the failure. On a busy machine it needs more. */
    private static final Duration SHORT = PipeResolver.DIAGNOSIS_DELAY.plusMillis(150);

    private static void assertFails(PeerGroup group, String name, String... reasons) {
        String message = "";
        for (Duration timeout = SHORT; !containsAll(message, reasons); timeout = timeout.multipliedBy(2)) {
            assertThat(timeout).as("time to explain: %s", message).isLessThan(TIMEOUT);
            Throwable failure = ParleyException.unwrap(
                    Eventually.failure(Pipes.of(group).connectAsync(name, timeout), "connecting"));
            assertThat(failure)
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE))
                    .hasMessageContaining("pipe \"" + name + "\"")
                    .hasMessageContaining("in group " + group.name());
            message = String.valueOf(failure.getMessage());
        }
    }

    private static boolean containsAll(String message, String... parts) {
        return Stream.of(parts).allMatch(message::contains);
    }

    @Test
    void connect_withoutAnyNetwork_namesTheMissingConfiguration() {
        Peer bob = peers.start(peers.builder("bob").multicast(false));

        assertFails(
                bob.netGroup(), "forecast", "neither a rendezvous nor a multicast transport", "PeerBuilder.rendezvous");
    }

    @Test
    void connect_rendezvousIsDead_namesItsAddressAndFailure() {
        Peer bob = peers.edge("bob"); // no rendezvous runs at its address

        assertFails(bob.netGroup(), "forecast", "no rendezvous responded", "mem://rendezvous", "last failure: ");
    }

    @Test
    void connect_wrongGroup_namesTheGroupWithoutMembers() {
        Peer rendezvous = peers.rendezvous();
        Peer alice = peers.edge("alice");
        Peer bob = peers.edge("bob");
        Pipes.of(alice.group("weather").join()).open("forecast");
        assertThat(bob.whenOnline()).succeedsWithin(TIMEOUT);

        assertFails(
                bob.group("wether").join(),
                "forecast",
                "queried rendezvous " + rendezvous.id().shortText(),
                "no other member of group wether was found");
    }

    @Test
    void connect_misspelledPipe_namesThePipe() {
        Peer rendezvous = peers.rendezvous();
        Peer alice = peers.edge("alice");
        Peer bob = peers.edge("bob");
        PeerGroup ofAlice = alice.group("weather").join();
        Pipes.of(ofAlice).open("forecast");
        PeerGroup ofBob = bob.group("weather").join();
        assertThat(ofAlice.discovery()
                        .publish(PipeAdvertisement.of(Pipes.of(ofAlice).pipeId("other"), PipeType.UNICAST, "other"))
                        .whenIndexed())
                .succeedsWithin(TIMEOUT);
        Eventually.get(Pipes.of(ofBob).connectAsync("forecast", TIMEOUT), "connecting")
                .close();

        assertFails(
                ofBob,
                "forcast",
                "queried rendezvous " + rendezvous.id().shortText(),
                "other members of the group were found, but none has published the pipe");
    }

    @Test
    void connect_onTheLocalNetwork_namesIt() {
        peers.near("alice");

        assertFails(peers.near("bob").netGroup(), "nothing", "queried the local network;");
    }
}
