package io.parley.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The ranges of the settings, and the interfaces and source addresses that follow from them. */
class UdpSettingsTest {

    private static final UdpSettings DEFAULTS = UdpSettings.DEFAULTS;

    @Test
    void defaults_stayOnTheLink() {
        assertThat(DEFAULTS.group4().getHostAddress()).isEqualTo("239.255.80.76");
        assertThat(DEFAULTS.group4().isMCSiteLocal()).isTrue();
        assertThat(DEFAULTS.group6().getHostAddress()).isEqualTo("ff12:0:0:0:0:0:f061:726c");
        assertThat(DEFAULTS.group6().isMCLinkLocal()).isTrue();
        assertThat(DEFAULTS.hops()).isEqualTo(1);
    }

    @Test
    void outOfRange_isRejected_withNameAndRange() throws Exception {
        Inet4Address unicast = (Inet4Address) InetAddress.getByName("192.0.2.1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULTS.toBuilder()
                        .group4(unicast)
                        .group6(DEFAULTS.group6())
                        .port(1)
                        .build())
                .withMessage("group4: 192.0.2.1 (expected: a multicast address)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULTS.toBuilder().port(0).build())
                .withMessage("port: 0 (expected: 1 to 65535)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULTS.toBuilder().hops(256).build())
                .withMessage("hops: 256 (expected: 0 to 255)");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> DEFAULTS.toBuilder().clockTolerance(Duration.ZERO).build())
                .withMessage("clockTolerance: PT0S (expected: > 0, <= PT1H)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULTS.toBuilder()
                        .interfaceCheckInterval(Duration.ofHours(2))
                        .build())
                .withMessage("interfaceCheckInterval: PT2H (expected: > 0, <= PT1H)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new UdpLimits(0, 1 << 20, 64, 64, 1, 1, 1, 1, 1, 1 << 20, Duration.ofSeconds(1)))
                .withMessage("payloadsPerSecond: 0 (expected: >= 1)");
    }

    @Test
    void interfacesByName_areTheOnlyOnesSelected() throws SocketException {
        List<NetworkInterface> present = InterfaceSource.SYSTEM.list();
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        assertThat(new InterfaceSelector(Set.of()).select(present)).contains(loopback);
        assertThat(new InterfaceSelector(Set.of(loopback.getName())).select(present))
                .containsExactly(loopback);
        assertThat(new InterfaceSelector(Set.of("absent0")).select(present)).isEmpty();
    }

    @Test
    void localNetworks_areThoseOfTheInterfaces() throws Exception {
        LocalNetworks networks = LocalNetworks.of(InterfaceSource.SYSTEM.list());
        for (String local : List.of("127.0.0.1", "::1", "fe80::1", "169.254.3.4")) {
            assertThat(networks.contains(InetAddress.getByName(local)))
                    .as(local)
                    .isTrue();
        }
        for (NetworkInterface network : InterfaceSource.SYSTEM.list()) {
            assertThat(network.inetAddresses()).allMatch(networks::contains);
        }
        assertThat(LocalNetworks.of(List.of()).contains(InetAddress.getByName("192.0.2.9")))
                .isFalse();
    }

    @Test
    void samePrefix_comparesBits() {
        byte[] one = {10, 0, (byte) 0x80};
        byte[] other = {10, 0, (byte) 0xC0};
        assertThat(LocalNetworks.samePrefix(one, other, 17)).isTrue();
        assertThat(LocalNetworks.samePrefix(one, other, 18)).isFalse();
        assertThat(LocalNetworks.samePrefix(one, other, 0)).isTrue();
    }
}
