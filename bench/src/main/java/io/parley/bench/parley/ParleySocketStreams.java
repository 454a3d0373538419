package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.sockets.SocketStreamEnd;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamEnd;
import io.parley.sockets.PeerSockets;
import io.parley.sockets.SocketLimits;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;

/** The two sides of streams over the sockets between two peers. */
final class ParleySocketStreams {

    private static final String SERVICE = "bench";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private ParleySocketStreams() {}

    static StreamContender.Server serve(ParleyOptions options, int bufferBytes, String host) throws IOException {
        Peer peer = options.peer().listen("tcp://" + host + ":0").start();
        ServerSocket listener = sockets(peer, bufferBytes).listen(SERVICE);
        EndpointAddress local = peer.address().addresses().get(0);
        return new StreamContender.Server() {
            @Override
            public String address() {
                return PeerAddress.of(peer.id(), local).toString();
            }

            @Override
            public StreamEnd accept() throws IOException {
                return end(listener.accept());
            }

            @Override
            public void close() {
                peer.close();
            }
        };
    }

    static StreamContender.Client connect(ParleyOptions options, int bufferBytes, String address) {
        Peer peer = options.peer().start();
        PeerAddress server = PeerAddress.parse(address);
        peer.endpoint().addPeerAddress(server);
        PeerSockets sockets = sockets(peer, bufferBytes);
        return new StreamContender.Client() {
            @Override
            public StreamEnd open() throws IOException {
                return end(sockets.connect(server.peer(), SERVICE, TIMEOUT));
            }

            @Override
            public void close() {
                peer.close();
            }
        };
    }

    private static StreamEnd end(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        return new SocketStreamEnd(socket);
    }

    private static PeerSockets sockets(Peer peer, int bufferBytes) {
        PeerSockets sockets = PeerSockets.of(peer);
        return bufferBytes == 0
                ? sockets
                : sockets.withLimits(SocketLimits.DEFAULTS.toBuilder()
                        .bufferBytes(bufferBytes)
                        .build());
    }
}
