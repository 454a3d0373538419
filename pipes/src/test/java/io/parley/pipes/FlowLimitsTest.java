package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FlowLimitsTest {

    @Test
    void builder_keepsTheDefaultsOfWhatIsNotSet() {
        assertThat(FlowLimits.builder().build()).isEqualTo(FlowLimits.DEFAULTS);
        FlowLimits some =
                FlowLimits.builder().queueMessages(7).bytesPerSecond(9).build();
        assertThat(some).isEqualTo(new FlowLimits(0, 0, 7, 0, 9));
        assertThat(some.toBuilder()
                        .windowBytes(8192)
                        .queueBytes(3)
                        .messagesPerSecond(2)
                        .build())
                .isEqualTo(new FlowLimits(8192, 3, 7, 2, 9));
    }

    static Stream<Arguments> invalid() {
        return Stream.of(
                invalid(
                        "windowBytes: 8191 (expected: >= 8192)",
                        () -> FlowLimits.builder().windowBytes(8191)),
                invalid("windowBytes: 8191 (expected: >= 8192)", () -> new FlowLimits(8191, 0, 0, 0, 0)),
                invalid(
                        "queueBytes: 0 (expected: >= 1)",
                        () -> FlowLimits.builder().queueBytes(0)),
                invalid("queueBytes: -1 (expected: >= 1)", () -> new FlowLimits(0, -1, 0, 0, 0)),
                invalid(
                        "queueMessages: 0 (expected: >= 1)",
                        () -> FlowLimits.builder().queueMessages(0)),
                invalid("queueMessages: -1 (expected: >= 1)", () -> new FlowLimits(0, 0, -1, 0, 0)),
                invalid(
                        "messagesPerSecond: 0 (expected: >= 1)",
                        () -> FlowLimits.builder().messagesPerSecond(0)),
                invalid("messagesPerSecond: -2 (expected: >= 1)", () -> new FlowLimits(0, 0, 0, -2, 0)),
                invalid(
                        "bytesPerSecond: 0 (expected: >= 1)",
                        () -> FlowLimits.builder().bytesPerSecond(0)),
                invalid("bytesPerSecond: -1 (expected: >= 1)", () -> new FlowLimits(0, 0, 0, 0, -1)));
    }

    private static Arguments invalid(String message, ThrowingCallable call) {
        return Arguments.of(message, call);
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void invalidValue_namesItselfAndItsRange(String message, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    @Test
    void windowBeyondTheMemoryOfAPeer_isRefusedAtOnce() {
        try (PipePeers peers = new PipePeers()) {
            Peer peer = peers.start(peers.builder("peer").multicast(false));
            long most = peer.netGroup().endpoint().limits().peerMemoryBytes();
            FlowLimits limits = FlowLimits.builder().windowBytes((int) most + 1).build();
            assertThatThrownBy(() -> Pipes.of(peer).withFlowLimits(limits))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("windowBytes: " + (most + 1) + " (expected: 8192 to " + most + ")");
        }
    }
}
