package io.parley.transport.tcp;

import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that dials while it has as many open files as it may have, and then closes its transport. Its exit status is 0 if
 * the dial fails and the transport closes. Its limit must be low.
 */
final class OpenFilesProcess {

    /** Bounds the open files if the limit of the process is not low. */
    private static final int MAX_FILES = 10_000;

    private OpenFilesProcess() {}

    public static void main(String[] arguments) throws IOException {
        TransportContext context = new TransportContext(
                Identity.generate(),
                TransportSecurity.PLAINTEXT,
                TransportLimits.DEFAULTS,
                new EndpointMetrics(),
                Scheduler.system());
        Transport transport = new TcpTransportProvider().create(context);
        TransportServer server = Eventually.get(
                transport.listen(EndpointAddress.parse("tcp://127.0.0.1:0"), accepted -> {}), "listening");
        // Dials that succeed and fail load the classes while their files can be opened.
        Eventually.get(transport.dial(server.address(), null), "dialing with free file descriptors");
        Eventually.failure(transport.dial(unusedAddress(), null), "dialing an unused port");

        List<FileInputStream> files = openAll();
        Throwable failure =
                Eventually.failure(transport.dial(server.address(), null), "dialing without a free file descriptor");
        for (FileInputStream file : files) {
            file.close();
        }
        if (!(failure instanceof ParleyException known) || known.code() != ErrorCode.UNREACHABLE) {
            throw new AssertionError("failure of the dial: " + failure, failure);
        }
        Eventually.get(transport.closeAsync(), "closing the transport");
    }

    private static EndpointAddress unusedAddress() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return EndpointAddress.parse("tcp://127.0.0.1:" + socket.getLocalPort());
        }
    }

    private static List<FileInputStream> openAll() {
        List<FileInputStream> files = new ArrayList<>();
        try {
            while (files.size() < MAX_FILES) {
                files.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            return files;
        }
        throw new AssertionError("more than " + MAX_FILES + " open files (expected: a low limit of the process)");
    }
}
