package io.parley.bench.netty;

import io.netty.channel.Channel;
import io.parley.bench.contender.FanOutContender;
import io.parley.bench.contender.MessageBytes;
import java.util.List;
import java.util.function.Consumer;

/** A variant of raw Netty with a channel for each receiver. */
abstract class AbstractNettyFanOutContender implements FanOutContender {

    private final String name;
    private final String description;
    private final String contender;

    AbstractNettyFanOutContender(String name, String description, String contender) {
        this.name = name;
        this.description = description;
        this.contender = contender;
    }

    abstract NettyOptions options();

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String description() {
        return description;
    }

    @Override
    public final String contender() {
        return contender;
    }

    @Override
    public final List<String> comparators() {
        return List.of();
    }

    @Override
    public final String details() {
        return options().details();
    }

    @Override
    public final boolean hasDroppingReceivers() {
        return false;
    }

    @Override
    public final Publisher publish() throws Exception {
        return NettyFanOutPublisher.open(options());
    }

    @Override
    public final AutoCloseable receive(String address, boolean isDropping, Consumer<MessageBytes> receiver)
            throws Exception {
        NettyOptions options = options();
        Channel channel = LoopbackChannels.connect(
                NettyIo.best(),
                NettyIo.clientLoops(options.idle()),
                options.clientTls(),
                options.layout(),
                Integer.parseInt(address),
                new FanOutReceiveHandler(receiver));
        return () -> channel.close().syncUninterruptibly();
    }
}
