package io.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.transport.EndpointAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerBuilderTest {

    private final InMemoryNetwork network = new InMemoryNetwork(1);
    private final List<String> events = new ArrayList<>();

    @TempDir
    Path home;

    @Test
    void start_preloadsTransports_thenCreatesOneForEachScheme() {
        PeerBuilder builder = Peer.builder()
                .multicast(false)
                .transport(new RecordingProvider("first"))
                .transport(new RecordingProvider("second"))
                .security(TransportSecurity.PLAINTEXT);
        builder.start().close();
        assertThat(events).containsExactly("first preloads for PLAINTEXT", "first creates");
    }

    @Test
    void start_preloadsTransports_beforeItReadsTheIdentity() throws IOException {
        Files.writeString(home.resolve(Identity.FILE_NAME), "no key");
        PeerBuilder builder = Peer.builder().home(home).multicast(false).transport(new RecordingProvider("first"));
        assertThatThrownBy(builder::start)
                .isInstanceOfSatisfying(
                        ParleyException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.IDENTITY_UNREADABLE));
        assertThat(events).containsExactly("first preloads for TLS");
    }

    @Test
    void listen_replacesTheAddressOfAPreset_andAddsFurtherOnes() {
        for (PeerBuilder preset : List.of(Peer.loopback(), Peer.lan(), Peer.wan())) {
            preset.multicast(false).transport(network.transportProvider());
            try (Peer peer = preset.listen("mem://one").listen("mem://two").start()) {
                assertThat(peer.endpoint().addresses())
                        .extracting(EndpointAddress::toString)
                        .containsExactly("mem://one", "mem://two");
            }
        }
    }

    @Test
    void name_thatIsMissingOrTooLong_isRejected() {
        assertThatThrownBy(() -> Peer.builder().name(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("name");
        String longest = "ü".repeat(512);
        assertThatThrownBy(() -> Peer.builder().name(longest + "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name: 1025 bytes in UTF-8 (expected: <= 1024)");
        try (Peer peer = Peer.builder()
                .name(longest)
                .multicast(false)
                .transport(network.transportProvider())
                .start()) {
            assertThat(peer.name()).isEqualTo(longest);
        }
    }

    @Test
    void start_withTheLowestNumberOfXmlAttributes() {
        Peer.builder()
                .multicast(false)
                .transport(network.transportProvider())
                .listen("mem://any")
                .advertisementLimits(
                        limits -> limits.toBuilder().maxAttributes(0).build())
                .start()
                .close();
    }

    @Test
    void preferences_determineHowLongThreadsPoll() {
        assertThat(maxSpin(Peer.builder())).isEqualTo(maxSpin(Peer.builder().preferLatency()));
        assertThat(maxSpin(Peer.builder().preferLatency())).isPositive();
        assertThat(maxSpin(Peer.builder().preferEconomy())).isZero();
        assertThat(maxSpin(Peer.builder().preferEconomy().preferLatency())).isPositive();
    }

    private Duration maxSpin(PeerBuilder builder) {
        try (Peer peer =
                builder.multicast(false).transport(network.transportProvider()).start()) {
            return peer.endpoint().limits().transport().maxSpin();
        }
    }

    /** Records the calls of a provider. */
    private final class RecordingProvider implements TransportProvider {

        private final String name;
        private final TransportProvider real = network.transportProvider();

        RecordingProvider(String name) {
            this.name = name;
        }

        @Override
        public Set<String> schemes() {
            return real.schemes();
        }

        @Override
        public void preload(TransportSecurity security) {
            events.add(name + " preloads for " + security);
        }

        @Override
        public Transport create(TransportContext context) {
            events.add(name + " creates");
            return real.create(context);
        }
    }
}
