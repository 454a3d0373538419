package io.parley.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.parley.common.Scheduler;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A process with a peer that multicasts its name repeatedly and prints the names that it receives, until its input ends. */
final class MulticastSenderProcess implements AutoCloseable {

    private final Process process;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    MulticastSenderProcess(UdpSettings settings, String name) throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MulticastSenderProcess.class.getName(),
                        settings.group4().getHostAddress(),
                        settings.group6().getHostAddress(),
                        String.valueOf(settings.port()),
                        name)
                .redirectErrorStream(true)
                .start();
        Thread reader = new Thread(this::read, "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            output.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException e) {
            lines.add(e.toString()); // the process was killed
        }
    }

    void awaitLine(String line) {
        Eventually.until(() -> "no line '" + line + "' among " + lines, () -> lines.contains(line));
    }

    /** Closes the input of the process and waits until it exits with code 0. */
    void exit() throws Exception {
        process.getOutputStream().close();
        assertThat(process.waitFor(Eventually.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .as("the process exits; output: %s", lines)
                .isTrue();
        assertThat(process.exitValue()).as("output: %s", lines).isZero();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Runs the peer. */
    public static void main(String[] arguments) throws Exception {
        UdpSettings settings = UdpSettings.DEFAULTS.toBuilder()
                .group4((Inet4Address) InetAddress.getByName(arguments[0]))
                .group6((Inet6Address) InetAddress.getByName(arguments[1]))
                .port(Integer.parseInt(arguments[2]))
                .build();
        TransportContext context = new TransportContext(
                Identity.generate(),
                TransportSecurity.TLS,
                TransportLimits.DEFAULTS,
                new EndpointMetrics(),
                Scheduler.system());
        try (UdpPropagationTransport transport = new UdpPropagationTransport(context, settings)) {
            transport
                    .start((sender, payload) -> {
                        System.out.println("received " + payload.toString(StandardCharsets.UTF_8));
                    })
                    .join();
            Thread sender = new Thread(() -> send(transport, arguments[3]), "sender");
            sender.setDaemon(true);
            sender.start();
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }

    private static void send(UdpPropagationTransport transport, String name) {
        try {
            while (!transport.isClosing()) {
                transport.propagate(List.of(), Unpooled.copiedBuffer(name, StandardCharsets.UTF_8));
                Thread.sleep(200); // the other process may not listen yet
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
