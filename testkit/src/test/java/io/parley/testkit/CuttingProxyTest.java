package io.parley.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CuttingProxyTest {

    private final CutPlan noCuts = new CutPlan(new Random(1), 0, 1);

    @Test
    void connect_targetRefuses_closesTheDialer() throws IOException {
        try (CuttingProxy proxy = new CuttingProxy(refusingPort(), noCuts, () -> {});
                Socket dialer = dial(proxy)) {
            assertThat(dialer.getInputStream().read()).isNegative();
        }
    }

    private static int refusingPort() throws IOException {
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return closed.getLocalPort();
        }
    }

    private static Socket dial(CuttingProxy proxy) throws IOException {
        Socket dialer = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        dialer.setSoTimeout((int) Eventually.DEADLINE.toMillis());
        return dialer;
    }
}
