package io.parley.common.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HostPrefixTest {

    @Test
    void ipv4_isAHostPerAddress() {
        assertThat(HostPrefix.of("192.0.2.1")).isEqualTo(HostPrefix.of("192.0.2.1"));
        assertThat(HostPrefix.of("192.0.2.1")).isNotEqualTo(HostPrefix.of("192.0.2.2"));
        assertThat(HostPrefix.of("::ffff:192.0.2.1")).isEqualTo(HostPrefix.of("192.0.2.1"));
    }

    @Test
    void ipv6_isAHostPerPrefixOf64Bits() {
        assertThat(HostPrefix.of("2001:db8:0:1::1")).isEqualTo(HostPrefix.of("2001:DB8:0:1:ffff::2"));
        assertThat(HostPrefix.of("fe80::1%eth0")).isEqualTo(HostPrefix.of("fe80::2"));
        assertThat(HostPrefix.of("2001:db8:0:1::1")).isNotEqualTo(HostPrefix.of("2001:db8:0:2::1"));
    }

    @Test
    void otherNames_areHostsByName() {
        assertThat(HostPrefix.of("Example.org")).isEqualTo("example.org");
    }

    @Test
    void network_isTheFirst24Bits_or48BitsOfIpv6() {
        assertThat(network("192.0.2.1")).isEqualTo(network("192.0.2.200")).isNotEqualTo(network("192.0.3.1"));
        assertThat(network("2001:db8:0:1::1"))
                .isEqualTo(network("2001:db8:0:2::1"))
                .isNotEqualTo(network("2001:db8:1:1::1"));
        assertThat(network("Example.org")).isEqualTo("example.org");
    }

    private static String network(String host) {
        return HostPrefix.network(HostPrefix.of(host));
    }
}
