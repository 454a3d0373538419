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

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Long enough for others to answer who are there, and waited for in full by those who look for nobody. */
    private static final Duration SHORT = Duration.ofSeconds(2);

    private final MemoryNet network = new MemoryNet();
    private final PeerGroup group = start("asker", "asker");

    @AfterEach
    void close() {
        network.close();
    }

    private PeerGroup start(String address, String name) {
        Peer peer = network.start(address, name);
        return peer.group("tea").join();
    }

    private PipeId door() {
        return Pipes.of(group).pipeId("door");
    }

    private PeerGroup waiting(String address, String name) {
        PeerGroup member = start(address, name);
        Pipes.of(member).open(door());
        return member;
    }

    private NameConnector search(String name) {
        return new NameConnector(group, name, door());
    }

    @Test
    void peerOfThatName_isFoundAmongOthersThatDoNotWait() {
        start("bob-writes", "bob");
        waiting("carol", "carol");
        PeerGroup bob = waiting("bob-waits", "bob");

        try (OutputPipe pipe = search("bob").connect(PATIENCE)) {
            assertThat(pipe.holder()).isEqualTo(bob.endpoint().peerId());
            assertThat(pipe.id()).isEqualTo(door());
        }
    }

    @Test
    void pipeOfThatName_isFoundToo() {
        PeerGroup holder = start("one", "carol");
        Pipes.of(holder).open("kettle");

        try (OutputPipe pipe = search("kettle").connect(PATIENCE)) {
            assertThat(pipe.holder()).isEqualTo(holder.endpoint().peerId());
            assertThat(pipe.id()).isEqualTo(Pipes.of(group).pipeId("kettle"));
        }
        assertThatThrownBy(() -> search("kettle").connectToPeer(SHORT))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    }

    @Test
    void peersOfOneName_areAllNamedAndFoundByTheirIds() {
        PeerGroup one = waiting("one", "bob");
        PeerGroup two = waiting("two", "bob");
        await().atMost(PATIENCE)
                .until(() -> group.discovery()
                                .find(
                                        DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME)
                                                .with(AdvertisementKinds.NAME, "bob"),
                                        SearchOptions.of(SHORT, 2))
                                .join()
                                .size()
                        == 2);

        assertThatThrownBy(() -> search("bob").connect(PATIENCE))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContainingAll(
                        "2 peers go by the name bob",
                        one.endpoint().peerId().text(),
                        two.endpoint().peerId().text());
        try (OutputPipe pipe = search(two.endpoint().peerId().text()).connect(PATIENCE)) {
            assertThat(pipe.holder()).isEqualTo(two.endpoint().peerId());
        }
    }

    @Test
    void nobodyOfThatName_isUnreachable_andNobodyFindsItself() {
        Pipes.of(group).open(door());

        assertThatThrownBy(() -> search("asker").connect(SHORT))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    }
}
