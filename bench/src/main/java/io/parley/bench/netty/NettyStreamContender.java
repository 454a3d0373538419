package io.parley.bench.netty;

import io.parley.bench.sockets.JavaStreamStack;
import io.parley.bench.stream.AbstractStreamContender;
import io.parley.bench.stream.StreamSite;
import java.util.Optional;

/** Streams over raw Netty. An event loop reads and writes, and the thread of the program blocks. */
final class NettyStreamContender extends AbstractStreamContender {

    /** The name of a constant of {@link NettyIo}, which processes of other stacks cannot load. */
    private final String io;

    private final boolean tls;

    NettyStreamContender(String name, String description, String io, boolean tls) {
        super(name, description, JavaStreamStack.BLOCKING);
        this.io = io;
        this.tls = tls;
    }

    @Override
    public boolean hasManyConnections() {
        return true;
    }

    @Override
    public Optional<String> obstacle() {
        return NettyIo.valueOf(io).obstacle();
    }

    @Override
    public String details() {
        String loops = NettyIo.valueOf(io).label() + ", sleeps at once";
        return tls ? loops + ", " + TlsContextFactory.label() : loops;
    }

    @Override
    public Server serve(StreamSite site) throws Exception {
        return NettyStreamChannels.listen(NettyIo.valueOf(io), tls, site.host());
    }

    @Override
    public Client connect(String address, StreamSite site) throws Exception {
        return NettyStreamChannels.client(NettyIo.valueOf(io), tls, JavaStreamStack.socketAddress(address));
    }
}
