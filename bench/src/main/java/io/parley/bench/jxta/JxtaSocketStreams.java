package io.parley.bench.jxta;

import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.sockets.SocketStreamEnd;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamEnd;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import net.jxta.endpoint.Messenger;
import net.jxta.socket.JxtaServerSocket;
import net.jxta.socket.JxtaSocket;

/** The two sides of streams over JXTA's sockets, which are reliable as by default. */
final class JxtaSocketStreams {

    private static final String SERVER = "bench-server";
    private static final String CLIENT = "bench-client";
    private static final String SOCKET = "parley-bench-socket";
    private static final int BACKLOG = 16;
    private static final int TIMEOUT_MILLIS = 60_000;

    private JxtaSocketStreams() {}

    static StreamContender.Server serve(Path home, int outputBufferBytes) throws Exception {
        JxtaPeer peer = JxtaPeer.start(SERVER, new ProcessLocation(0, home));
        // 0 is no time limit
        JxtaServerSocket listener = new JxtaServerSocket(peer.group(), JxtaPipes.advertisement(SOCKET), BACKLOG, 0);
        return new StreamContender.Server() {
            @Override
            public String address() {
                return JxtaPeer.address(peer.port());
            }

            @Override
            public StreamEnd accept() throws IOException {
                return end(listener.accept(), outputBufferBytes);
            }

            @Override
            public void close() throws IOException {
                listener.close();
                peer.close();
            }
        };
    }

    static StreamContender.Client connect(String address, Path home, int outputBufferBytes) throws Exception {
        JxtaPeer peer = JxtaPeer.start(CLIENT, new ProcessLocation(0, home));
        Messenger messenger = JxtaPipeStreams.connect(peer, address);
        return new StreamContender.Client() {
            @Override
            public StreamEnd open() throws IOException {
                return end(
                        new JxtaSocket(
                                peer.group(),
                                JxtaPeer.peerId(SERVER),
                                JxtaPipes.advertisement(SOCKET),
                                TIMEOUT_MILLIS,
                                true),
                        outputBufferBytes);
            }

            @Override
            public void close() {
                messenger.close();
                peer.close();
            }
        };
    }

    private static StreamEnd end(Socket socket, int outputBufferBytes) throws IOException {
        if (outputBufferBytes > 0) {
            socket.setSendBufferSize(outputBufferBytes);
        }
        return new SocketStreamEnd(socket);
    }
}
