package io.parley.transport.udp;

import io.parley.testkit.transport.PropagationContractTest;
import io.parley.transport.PropagationTransportProvider;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Set;
import java.util.stream.Collectors;

/** The contract on the loopback interface alone, as on a machine without a network. */
class UdpLoopbackPropagationTest extends PropagationContractTest {

    private final PropagationTransportProvider provider;

    UdpLoopbackPropagationTest() throws SocketException {
        Set<String> loopback = NetworkInterface.networkInterfaces()
                .filter(UdpLoopbackPropagationTest::isLoopback)
                .map(NetworkInterface::getName)
                .collect(Collectors.toSet());
        provider = new UdpPropagationProvider(
                TestChannel.settings().toBuilder().interfaces(loopback).build());
    }

    private static boolean isLoopback(NetworkInterface network) {
        try {
            return network.isLoopback();
        } catch (SocketException e) {
            return false;
        }
    }

    @Override
    protected PropagationTransportProvider provider() {
        return provider;
    }
}
