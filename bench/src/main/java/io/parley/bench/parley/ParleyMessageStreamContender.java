package io.parley.bench.parley;

import io.parley.bench.sockets.JavaStreamStack;
import io.parley.bench.stream.AbstractStreamContender;
import io.parley.bench.stream.StreamSite;

/** A layer of Parley that carries messages: each block is one message. */
final class ParleyMessageStreamContender extends AbstractStreamContender {

    /** The name of a constant of {@link MeasuredLayer}, which processes of other stacks cannot load. */
    private final String layer;

    ParleyMessageStreamContender(String name, String description, String layer) {
        super(name, description, JavaStreamStack.BLOCKING, "netty-stream-epoll");
        this.layer = layer;
    }

    @Override
    public String details() {
        return options().idle().label();
    }

    private ParleyOptions options() {
        return ParleyOptions.plainText(MeasuredLayer.valueOf(layer));
    }

    @Override
    public Server serve(StreamSite site) {
        return ParleyMessageStreams.serve(options(), site.host());
    }

    @Override
    public Client connect(String address, StreamSite site) {
        return ParleyMessageStreams.connect(options(), address);
    }
}
