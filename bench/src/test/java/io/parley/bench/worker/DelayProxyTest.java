package io.parley.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.workload.EmployeeFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Asserts only lower bounds of delays: on a busy machine a delay can be longer than configured, but never shorter. */
final class DelayProxyTest {

    private static final Duration ROUND_TRIP = Duration.ofMillis(20);
    private static final byte[] HELLO = "hello".getBytes(StandardCharsets.US_ASCII);

    @Test
    void copy_firstBytes_includeTheRoundTripOfConnect() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                DelayProxy proxy = DelayProxy.open(ROUND_TRIP)) {
            proxy.target(server.getLocalPort());
            long start = System.nanoTime();
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
                    Socket served = server.accept()) {
                client.getOutputStream().write(HELLO);
                assertThat(served.getInputStream().readNBytes(HELLO.length)).isEqualTo(HELLO);
                assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(ROUND_TRIP.toNanos() * 3 / 2);

                long replied = System.nanoTime();
                served.getOutputStream().write(HELLO);
                assertThat(client.getInputStream().readNBytes(HELLO.length)).isEqualTo(HELLO);
                assertThat(System.nanoTime() - replied).isGreaterThanOrEqualTo(ROUND_TRIP.toNanos() / 2);
            }
        }
    }

    @Test
    void copy_endOfOneSide_reachesTheOther() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                DelayProxy proxy = DelayProxy.open(ROUND_TRIP)) {
            proxy.target(server.getLocalPort());
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
                    Socket served = server.accept()) {
                client.close();

                assertThat(served.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    @Test
    void copy_withARate_takesItsTimeToTheTarget_andNotBack() throws IOException {
        byte[] content = EmployeeFile.of(100, 0); // 17,290 bytes
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                DelayProxy proxy = DelayProxy.open(Duration.ZERO, 172_900)) {
            proxy.target(server.getLocalPort());
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
                    Socket served = server.accept()) {
                long start = System.nanoTime();
                client.getOutputStream().write(content);
                assertThat(served.getInputStream().readNBytes(content.length)).isEqualTo(content);
                assertThat(System.nanoTime() - start)
                        .isGreaterThanOrEqualTo(Duration.ofMillis(100).toNanos());

                served.getOutputStream().write(content);
                assertThat(client.getInputStream().readNBytes(content.length)).isEqualTo(content);
            }
        }
    }
}
