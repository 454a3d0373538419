package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.testkit.Eventually;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connect by name that finds nobody says why. */
@Timeout(180)
class PipeConnectFailureTest {

    private static final Duration TIMEOUT = Eventually.DEADLINE;

    private final PipePeers peers = new PipePeers();

    @AfterEach
    void close() {
        peers.close();
    }

    /** Long enough for the search for members, which explains the failure. */
    private static final Duration SHORT = Duration.ofSeconds(2);

    private static String failureOf(PeerGroup group, String name) {
        Throwable failure = catchThrowable(() -> Pipes.of(group).connect(name, SHORT));
        assertThat(failure)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE))
                .hasMessageContaining("pipe \"" + name + "\"")
                .hasMessageContaining("in group " + group.name());
        return String.valueOf(failure.getMessage());
    }

    @Test
    void connect_withoutAnyNetwork_namesTheMissingConfiguration() {
        Peer bob = peers.start(peers.builder("bob").multicast(false));

        assertThat(failureOf(bob.netGroup(), "forecast"))
                .contains("neither a rendezvous nor a multicast transport", "PeerBuilder.rendezvous");
    }

    @Test
    void connect_rendezvousIsDead_namesItsAddressAndFailure() {
        Peer bob = peers.edge("bob"); // no rendezvous runs at its address

        assertThat(failureOf(bob.netGroup(), "forecast"))
                .contains("no rendezvous responded", "mem://rendezvous", "last failure: ");
    }

    @Test
    void connect_wrongGroup_namesTheGroupWithoutMembers() {
        Peer rendezvous = peers.rendezvous();
        Peer alice = peers.edge("alice");
        Peer bob = peers.edge("bob");
        Pipes.of(alice.group("weather").join()).open("forecast");
        assertThat(bob.whenOnline()).succeedsWithin(TIMEOUT);

        assertThat(failureOf(bob.group("wether").join(), "forecast"))
                .contains("queried rendezvous " + rendezvous.id().shortText())
                .contains("no other member of group wether was found");
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

        assertThat(failureOf(ofBob, "forcast"))
                .contains("queried rendezvous " + rendezvous.id().shortText())
                .contains("other members of the group were found, but none has published the pipe");
    }

    @Test
    void connect_onTheLocalNetwork_namesIt() {
        peers.near("alice");

        assertThat(failureOf(peers.near("bob").netGroup(), "nothing")).contains("queried the local network;");
    }
}
