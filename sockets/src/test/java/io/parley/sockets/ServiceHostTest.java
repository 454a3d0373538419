package io.parley.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.common.internal.TextSanitizer;
import io.parley.id.PeerId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceHostTest {

    private static final PeerId PEER = PeerId.ofBytes(new byte[PeerId.BYTES]);

    @Test
    void text_isParsed() {
        for (ServiceHost host : new ServiceHost[] {
            ServiceHost.of("db"),
            ServiceHost.of("v1.db_main-2"),
            ServiceHost.of(PEER, "db"),
            ServiceHost.of(PEER, "a.b")
        }) {
            assertThat(ServiceHost.parse(host.toString())).isEqualTo(host);
            assertThat(ServiceHost.parse(host.toString().toUpperCase(java.util.Locale.ROOT) + "."))
                    .isEqualTo(host);
            assertThat(ServiceHost.isServiceHost(host.toString())).isTrue();
        }
        assertThat(ServiceHost.of(PEER, "db")).hasToString("db." + PEER.text() + ".parley");
        assertThat(PEER.text()).as("a label of the DNS").hasSizeLessThanOrEqualTo(63);
        assertThat(ServiceHost.isServiceHost("example.org")).isFalse();
        assertThat(ServiceHost.isServiceHost("parley")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Db", "a..b", ".a", "a.", "-a", "a-", "a b", "ä", "a/b", "a:1"})
    void service_thatDoesNotFit_isRefused(String service) {
        assertThatThrownBy(() -> ServiceHost.of(service))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(TextSanitizer.quote(service))
                .hasMessageContaining("a-z");
    }

    @Test
    void service_ofARemotePeer_isQuoted_andMatchedAfterItsLengthIsChecked() {
        assertThatThrownBy(() -> ServiceHost.of("a\n\u202e"))
                .hasMessageContaining("\\u202e")
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> ServiceHost.of("a.".repeat(100_000) + "a"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void service_thatIsTooLong_isRefused() {
        assertThatThrownBy(() -> ServiceHost.of("a".repeat(64))).hasMessageContaining("63");
        String long4 = ("a".repeat(60) + ".").repeat(3) + "a".repeat(60);
        ServiceHost.of(long4);
        assertThatThrownBy(() -> ServiceHost.of(PEER, long4)).hasMessageContaining("253");
    }

    @Test
    void peerId_isNotAService() {
        assertThatThrownBy(() -> ServiceHost.of("a." + PEER.text())).hasMessageContaining("peer id");
        assertThatThrownBy(() -> ServiceHost.parse(PEER.text() + ".parley")).hasMessageContaining("missing");
        assertThatThrownBy(() -> ServiceHost.parse("example.org")).hasMessageContaining("<service>.parley");
        assertThatThrownBy(() -> ServiceHost.parse("parley")).hasMessageContaining("\"parley\"");
    }
}
