package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.testkit.codec.SequenceCodec;
import io.parley.transport.memory.InMemoryNetwork;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Peers that prefer different codecs, and pipes that use another codec than their peers; over TCP and TLS. */
class PipeCodecTest {

    private static final Duration SOON = Eventually.DEADLINE;

    private static PeerBuilder peer() {
        return Peer.loopback().codec(new SequenceCodec("red")).codec(new SequenceCodec("blue"));
    }

    @Test
    void peersThatPreferDifferentCodecs_selectOne_andBothDirectionsWork() throws InterruptedException {
        try (Peer alice = peer().codecs("red", "blue").start();
                Peer bob = peer().codecs("blue", "binary", "red").start();
                InputPipe atAlice = Pipes.of(alice).open("alice");
                InputPipe atBob = Pipes.of(bob).open("bob");
                OutputPipe toAlice = Pipes.of(bob).connect(alice.address(), "alice", SOON);
                OutputPipe toBob = Pipes.of(alice).connect(bob.address(), "bob", SOON)) {
            for (int i = 0; i < 100; i++) {
                toAlice.send(Message.of("n", Integer.toString(i)));
                toBob.send(Message.of("n", Integer.toString(i)));
            }
            for (int i = 0; i < 100; i++) {
                assertThat(atAlice.receive(SOON).orElseThrow().message().text("n"))
                        .contains(Integer.toString(i));
                assertThat(atBob.receive(SOON).orElseThrow().message().text("n"))
                        .contains(Integer.toString(i));
            }
            assertThat(toAlice.codec()).contains("blue"); // bob has dialed
            assertThat(toBob.codec()).contains("blue");
        }
    }

    @Test
    void pipe_inAnotherCodecThanThePeers() throws InterruptedException {
        try (Peer alice = peer().start();
                Peer bob = peer().codecs("binary", "red").start();
                InputPipe in = Pipes.of(alice).open("in");
                OutputPipe plain = Pipes.of(bob).connect(alice.address(), "in", SOON);
                OutputPipe red = Pipes.of(bob).withCodecs("red").connect(alice.address(), "in", SOON)) {
            plain.send(Message.of("n", "plain"));
            assertThat(in.receive(SOON).orElseThrow().message().text("n")).contains("plain");
            red.send(Message.of("n", "red"));
            assertThat(in.receive(SOON).orElseThrow().message().text("n")).contains("red");
            assertThat(plain.codec()).contains("binary");
            assertThat(red.codec()).contains("red");
        }
    }

    @Test
    void pipe_inACodecThatThisPeerLacks_failsAtOnce() {
        try (Peer bob = peer().start()) {
            Pipes pipes = Pipes.of(bob).withCodecs("red", "morse");
            assertLacks(() -> pipes.connect("in", SOON));
            assertLacks(() -> pipes.connectAsync(pipes.pipeId("in"), SOON));
            assertLacks(() -> pipes.connectAsync(bob.id(), pipes.pipeId("in"), SOON));
        }
    }

    private static void assertLacks(ThrowingCallable connecting) {
        assertThatThrownBy(connecting)
                .isInstanceOfSatisfying(
                        InvalidCallException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_COMMON_CODEC))
                .hasMessageContaining("[morse]");
    }

    @Test
    void holderThatLacksTheCodec_isSkippedBySearches() throws InterruptedException {
        InMemoryNetwork network = new InMemoryNetwork(2);
        try (Peer alice = inMemory(network, "alice").start();
                Peer bob =
                        inMemory(network, "bob").codec(new SequenceCodec("red")).start();
                InputPipe in = Pipes.of(alice).open("in");
                OutputPipe plain = Pipes.of(bob).connect("in", SOON)) {
            assertThat(plain.holder()).isEqualTo(alice.id());
            Pipes pipes = Pipes.of(bob).withCodecs("red");
            assertThatThrownBy(() -> pipes.connect("in", Duration.ofMillis(300)))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
            assertThatThrownBy(() -> pipes.connect(alice.id(), in.id(), SOON))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_COMMON_CODEC));
        }
    }

    private static PeerBuilder inMemory(InMemoryNetwork network, String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .propagationTransport(network.propagationProvider())
                .listen("mem://" + name);
    }

    @Test
    void peersWithoutACommonCodec_failWithThatReason() {
        try (Peer alice = peer().codecs("red").start();
                Peer bob = peer().codecs("blue", "binary").start()) {
            assertThatThrownBy(() -> Pipes.of(bob).connect(alice.address(), "in", SOON))
                    .isInstanceOf(ParleyException.class)
                    .hasFieldOrPropertyWithValue("code", ErrorCode.NO_COMMON_CODEC)
                    .hasMessageContaining("[red]")
                    .hasMessageContaining("[blue, binary]");
        }
    }

    @Test
    void codecsThatAreNotFound_failWithTheArtifactToAdd(@TempDir Path directory) {
        Path home = directory.resolve("home");
        assertThatThrownBy(() -> Peer.builder().home(home).codecs("morse").start())
                .isInstanceOf(ParleyException.class)
                .hasMessageContaining("morse")
                .hasMessageContaining("io.parley:parley-codec-xml");
        assertThat(home).as("what a peer that did not start has made").doesNotExist();
        assertThatThrownBy(() -> Peer.builder().codecs()).isInstanceOf(IllegalArgumentException.class);
    }
}
