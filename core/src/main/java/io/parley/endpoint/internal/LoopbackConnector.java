package io.parley.endpoint.internal;

import io.parley.codec.MessageCodec;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.transport.EndpointAddress;
import io.parley.transport.memory.internal.InMemoryConnection;
import java.util.OptionalLong;

/** The way of a peer to itself: two links over a connection in memory, so that a peer can use its own services. */
final class LoopbackConnector {

    private final PeerEndpoint endpoint;
    private final EndpointContext core;

    LoopbackConnector(PeerEndpoint endpoint, EndpointContext core) {
        this.endpoint = endpoint;
        this.core = core;
    }

    /** Gives the association with this very peer its link, whose two ends both hold on to it. On the timer. */
    void connect(Association self) {
        EndpointAddress address = new EndpointAddress(InMemoryConnection.SCHEME, "loopback", -1);
        InMemoryConnection near =
                InMemoryConnection.connect(core.timer(), address, core.self(), core.timer(), address, core.self());
        MessageCodec codec = core.codecs().get(0);
        Hello hello = endpoint.hello(0, OptionalLong.empty(), endpoint.codecs());
        endpoint.retain(self);
        Link far = new Link(near.other(), self, hello, codec, core);
        near.other().start(far);
        far.start();
        endpoint.retain(self);
        Link link = new Link(near, self, hello, codec, core);
        near.start(link);
        link.start();
        self.activate(link);
    }
}
