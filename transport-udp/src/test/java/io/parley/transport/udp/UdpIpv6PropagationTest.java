package io.parley.transport.udp;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.parley.testkit.transport.PropagationContractTest;
import io.parley.transport.PropagationTransportProvider;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;

/** The contract on IPv6 alone: each peer has an IPv4 group of its own, and all share one IPv6 group. */
class UdpIpv6PropagationTest extends PropagationContractTest {

    private final UdpSettings settings = TestChannel.settings();
    private final AtomicInteger peers = new AtomicInteger();

    @BeforeAll
    static void requireIpv6() throws SocketException {
        assumeTrue(
                new InterfaceSelector(Set.of())
                        .select(InterfaceSource.SYSTEM.list()).stream().anyMatch(IpFamily.IPV6::isOn),
                "no interface with an IPv6 address to send multicast from");
    }

    @Override
    protected PropagationTransportProvider provider() {
        return new UdpPropagationProvider(settings.toBuilder()
                .group4(newGroup())
                .group6(settings.group6())
                .port(settings.port())
                .build());
    }

    private Inet4Address newGroup() {
        byte[] group = settings.group4().getAddress();
        group[3] = (byte) peers.incrementAndGet();
        try {
            return (Inet4Address) InetAddress.getByAddress(group);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("IP address of " + group.length + " bytes", e);
        }
    }
}
