package io.parley.examples.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.parley.Peer;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.MemoryNet;
import io.parley.examples.console.CommandFailedException;
import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.Pipes;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NameConnectorTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    /** Long enough for the response of a peer that exists. A search without a result takes the whole time. */
    private static final Duration SHORT = Duration.ofSeconds(2);

    private final MemoryNet network = new MemoryNet();
    private final PeerGroup group = start("searcher", "searcher");

    @AfterEach
    void close() {
        network.close();
    }

    private PeerGroup start(String address, String name) {
        Peer peer = network.start(address, name);
        return peer.group("tea").join();
    }

    private PipeId pipeOfPeer() {
        return Pipes.of(group).pipeId("pipe-of-peer");
    }

    private PeerGroup startWithPipe(String address, String name) {
        PeerGroup joined = start(address, name);
        Pipes.of(joined).open(pipeOfPeer());
        return joined;
    }

    private NameConnector connector(String name) {
        return new NameConnector(group, name, pipeOfPeer());
    }

    @Test
    void peerWithThatName_isFoundAmongOthersWithoutThePipe() {
        start("bob-writes", "bob");
        startWithPipe("carol", "carol");
        PeerGroup bob = startWithPipe("bob-waits", "bob");

        try (OutputPipe pipe = connector("bob").connect(TIMEOUT)) {
            assertThat(pipe.holder()).isEqualTo(bob.endpoint().peerId());
            assertThat(pipe.id()).isEqualTo(pipeOfPeer());
        }
    }

    @Test
    void pipeWithThatName_isFoundToo() {
        PeerGroup holder = start("one", "carol");
        Pipes.of(holder).open("kettle");

        try (OutputPipe pipe = connector("kettle").connect(TIMEOUT)) {
            assertThat(pipe.holder()).isEqualTo(holder.endpoint().peerId());
            assertThat(pipe.id()).isEqualTo(Pipes.of(group).pipeId("kettle"));
        }
        assertThatThrownBy(() -> connector("kettle").connectToPeer(SHORT))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    }

    @Test
    void severalPeersWithTheName_areListedAndFoundByTheirIds() {
        PeerGroup one = startWithPipe("one", "bob");
        PeerGroup two = startWithPipe("two", "bob");
        await().atMost(TIMEOUT)
                .until(() -> group.discovery()
                                .find(
                                        DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME)
                                                .with(AdvertisementKinds.NAME, "bob"),
                                        SearchOptions.of(SHORT, 2))
                                .join()
                                .size()
                        == 2);

        // Repeated, because a peer that responds late does not take part in the round.
        await().atMost(TIMEOUT)
                .untilAsserted(() -> assertThatThrownBy(
                                () -> connector("bob").connect(TIMEOUT).close())
                        .isInstanceOf(CommandFailedException.class)
                        .hasMessageContainingAll(
                                "2 peers have the name bob",
                                one.endpoint().peerId().text(),
                                two.endpoint().peerId().text()));
        try (OutputPipe pipe = connector(two.endpoint().peerId().text()).connect(TIMEOUT)) {
            assertThat(pipe.holder()).isEqualTo(two.endpoint().peerId());
        }
    }

    @Test
    void peerFinder_findsThePeerThatRunsAndNotTheOneThatHasFailed() {
        Peer failed = network.start("failed", "bob");
        failed.group("tea").join();
        PeerGroup bob = start("bob", "bob");
        await().atMost(TIMEOUT)
                .until(() -> group.discovery()
                                .find(
                                        DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME)
                                                .with(AdvertisementKinds.NAME, "bob"),
                                        SearchOptions.of(SHORT, 2))
                                .join()
                                .size()
                        == 2);
        // Repeated, because a peer that responds late does not take part in the round.
        await().atMost(TIMEOUT)
                .untilAsserted(() -> assertThatThrownBy(() -> new PeerFinder(group, "bob").find(TIMEOUT))
                        .isInstanceOf(CommandFailedException.class)
                        .hasMessageContaining("2 peers have the name bob"));
        failed.close();
        await().atMost(TIMEOUT).until(() -> !group.endpoint().isConnected(failed.id()));

        assertThat(new PeerFinder(group, "bob").find(TIMEOUT))
                .isEqualTo(bob.endpoint().peerId());
        assertThatThrownBy(() -> new PeerFinder(group, "searcher").find(SHORT))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    }

    @Test
    void unknownName_isUnreachableAndAPeerDoesNotFindItself() {
        Pipes.of(group).open(pipeOfPeer());

        assertThatThrownBy(() -> connector("searcher").connect(SHORT))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    }
}
