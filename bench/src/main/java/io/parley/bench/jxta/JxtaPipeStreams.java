package io.parley.bench.jxta;

import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamEnd;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import net.jxta.endpoint.EndpointAddress;
import net.jxta.endpoint.Message;
import net.jxta.endpoint.Messenger;
import net.jxta.pipe.InputPipe;

/** The two sides of a stream of messages over JXTA's pipes, one in each direction. They have one connection. */
final class JxtaPipeStreams {

    private static final String SERVER = "bench-server";
    private static final String CLIENT = "bench-client";

    private JxtaPipeStreams() {}

    static StreamContender.Server serve(Path home) throws Exception {
        JxtaPeer peer = JxtaPeer.start(SERVER, new ProcessLocation(0, home));
        InputPipe input = JxtaPipes.open(peer, JxtaPipes.PING);
        AtomicBoolean accepted = new AtomicBoolean();
        return new StreamContender.Server() {
            @Override
            public String address() {
                return JxtaPeer.address(peer.port());
            }

            @Override
            public StreamEnd accept() throws IOException, InterruptedException {
                if (accepted.getAndSet(true)) {
                    new CountDownLatch(1).await(); // there is one client
                }
                Message first = input.waitForMessage();
                return new JxtaPipeStreamEnd(
                        JxtaPipes.open(peer, JxtaPipes.PONG, JxtaPipeType.UNICAST, CLIENT), input, first);
            }

            @Override
            public void close() {
                input.close();
                peer.close();
            }
        };
    }

    static StreamContender.Client connect(String address, Path home) throws Exception {
        JxtaPeer peer = JxtaPeer.start(CLIENT, new ProcessLocation(0, home));
        InputPipe input = JxtaPipes.open(peer, JxtaPipes.PONG);
        Messenger messenger = connect(peer, address);
        return new StreamContender.Client() {
            @Override
            public StreamEnd open() throws IOException {
                return new JxtaPipeStreamEnd(
                        JxtaPipes.open(peer, JxtaPipes.PING, JxtaPipeType.UNICAST, SERVER), input, new Message());
            }

            @Override
            public void close() {
                messenger.close();
                peer.close();
            }
        };
    }

    /** Connects to a peer. The connection provides the route for the pipe. */
    static Messenger connect(JxtaPeer peer, String address) throws IOException {
        Messenger messenger = peer.endpoint().getMessenger(new EndpointAddress(address));
        if (messenger == null) {
            throw new IOException("messenger to " + address + ": JXTA cannot connect");
        }
        return messenger;
    }
}
