package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ProcessLocation;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;

/** A service that returns each request. */
final class ParleyRequestServer implements Contender.Server {

    /** The name of the service. */
    static final String SERVICE = "bench-echo";

    private final Peer peer;
    private final ProcessLocation location;

    private ParleyRequestServer(Peer peer, ProcessLocation location) {
        this.peer = peer;
        this.location = location;
    }

    static ParleyRequestServer start(ProcessLocation location, ParleyOptions options, boolean direct) {
        Peer peer = options.peer().listen("tcp://127.0.0.1:0").start();
        Pipes pipes = Pipes.of(peer);
        if (direct) {
            pipes.serve(SERVICE, PipeMessage::message, Runnable::run);
        } else {
            pipes.serve(SERVICE, PipeMessage::message);
        }
        return new ParleyRequestServer(peer, location);
    }

    @Override
    public int port() {
        return peer.address().addresses().get(0).port();
    }

    @Override
    public String address() {
        EndpointAddress local = peer.address().addresses().get(0);
        return PeerAddress.of(peer.id(), local.withPort(location.advertised(port())))
                .toString();
    }

    @Override
    public void close() {
        peer.close();
    }
}
