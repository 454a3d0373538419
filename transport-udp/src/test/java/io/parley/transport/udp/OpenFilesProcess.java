package io.parley.transport.udp;

import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A process that starts a transport while it has as many open files as it may have, and another one when these are closed. Its exit
 * status is 0 if the first start fails, the second succeeds, and both transports close. Its limit must be low.
 */
final class OpenFilesProcess {

    /** Bounds the open files if the limit of the process is not low. */
    private static final int MAX_FILES = 10_000;

    private OpenFilesProcess() {}

    public static void main(String[] arguments) throws IOException {
        UdpSettings settings = UdpSettings.DEFAULTS.toBuilder()
                .group4((Inet4Address) InetAddress.getByName(arguments[0]))
                .group6((Inet6Address) InetAddress.getByName(arguments[1]))
                .port(Integer.parseInt(arguments[2]))
                .build();
        // A transport that starts, closes and fails loads the classes while their files can be opened.
        UdpPropagationTransport first = transport(settings);
        Eventually.get(start(first), "starting with free file descriptors");
        Eventually.get(first.closeAsync(), "closing the first transport");
        Eventually.failure(start(first), "starting the closed transport");

        UdpPropagationTransport transport = transport(settings);
        List<FileInputStream> files = new ArrayList<>();
        openAll(files);
        Throwable failure = Eventually.failure(start(transport), "starting without a free file descriptor");
        for (FileInputStream file : files) {
            file.close();
        }
        if (!(failure instanceof ParleyException known) || known.code() != ErrorCode.CANNOT_LISTEN) {
            throw new AssertionError("failure of the start: " + failure, failure);
        }
        Eventually.get(transport.closeAsync(), "closing the transport that failed");
        UdpPropagationTransport last = transport(settings);
        Eventually.get(start(last), "starting with free file descriptors again");
        Eventually.get(last.closeAsync(), "closing the last transport");
    }

    private static UdpPropagationTransport transport(UdpSettings settings) {
        return new UdpPropagationTransport(
                new TransportContext(
                        Identity.generate(),
                        TransportSecurity.TLS,
                        TransportLimits.DEFAULTS,
                        new EndpointMetrics(),
                        Scheduler.system()),
                settings);
    }

    private static CompletableFuture<Void> start(UdpPropagationTransport transport) {
        return transport.start((sender, payload) -> {});
    }

    private static void openAll(List<FileInputStream> files) {
        try {
            while (files.size() < MAX_FILES) {
                files.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            return;
        }
        throw new AssertionError("more than " + MAX_FILES + " open files (expected: a low limit of the process)");
    }
}
