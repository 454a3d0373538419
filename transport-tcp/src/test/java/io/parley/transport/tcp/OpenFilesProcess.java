package io.parley.transport.tcp;

import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A process that dials while it has as many open files as it may have, and then closes its transport. Its exit status is 0 if
 * the dial fails and the transport closes. Its limit must be low.
 */
final class OpenFilesProcess {

    /** Bounds the open files if the limit of the process is not low. */
    private static final int MAX_FILES = 10_000;

    /** The files that may be closed after all others are open. */
    private static final int MAX_LATE_FILES = 10;

    private OpenFilesProcess() {}

    public static void main(String[] arguments) throws IOException {
        TransportContext context = new TransportContext(
                Identity.generate(),
                TransportSecurity.PLAINTEXT,
                TransportLimits.DEFAULTS,
                new EndpointMetrics(),
                Scheduler.system());
        Transport transport = new TcpTransportProvider().create(context);
        CompletableFuture<Connection> accepted = new CompletableFuture<>();
        TransportServer server = Eventually.get(
                transport.listen(EndpointAddress.parse("tcp://127.0.0.1:0"), accepted::complete), "listening");
        // Dials that succeed and fail load the classes while their files can be opened.
        Eventually.get(transport.dial(server.address(), null), "dialing with free file descriptors");
        Eventually.get(accepted, "accepting with free file descriptors");
        try (Socket notListening = new Socket()) {
            notListening.bind(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)); // no other process gets the port
            EndpointAddress address = EndpointAddress.parse("tcp://127.0.0.1:" + notListening.getLocalPort());
            if (dialFailure(transport, address) == null) {
                throw new AssertionError("a dial to " + address + " without a listener succeeded");
            }
        }

        List<FileInputStream> files = new ArrayList<>();
        Throwable failure = null;
        // The socket of the dial that failed, and files of the JVM, may be closed after all others are open. Another
        // dial may get their file descriptors then, and keeps them.
        for (int i = 0; failure == null && i < MAX_LATE_FILES; i++) {
            openAll(files);
            failure = dialFailure(transport, server.address());
        }
        for (FileInputStream file : files) {
            file.close();
        }
        if (!(failure instanceof ParleyException known) || known.code() != ErrorCode.UNREACHABLE) {
            throw new AssertionError("failure of the dial: " + failure, failure);
        }
        Eventually.get(transport.closeAsync(), "closing the transport");
    }

    /** Dials. Returns the failure, or null. */
    private static @Nullable Throwable dialFailure(Transport transport, EndpointAddress address) {
        return Eventually.get(
                        transport.dial(address, null).handle((connection, failure) -> Optional.ofNullable(failure)),
                        "dialing " + address)
                .orElse(null);
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
