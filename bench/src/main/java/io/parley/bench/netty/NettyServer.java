package io.parley.bench.netty;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.parley.bench.contender.Contender;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import java.util.concurrent.TimeUnit;

/** A server. Each channel has one of its event loops. */
public final class NettyServer implements Contender.Server {

    private final EventLoopGroup loops;
    private final Channel listener;
    private final ProcessLocation site;

    private NettyServer(EventLoopGroup loops, Channel listener, ProcessLocation site) {
        this.loops = loops;
        this.listener = listener;
        this.site = site;
    }

    static NettyServer start(ProcessLocation site, MessageCounter tally, NettyOptions options) throws Exception {
        NettyIo io = NettyIo.best();
        EventLoopGroup loops = io.loops(options.idle());
        return new NettyServer(
                loops,
                LoopbackChannels.listen(
                        io,
                        loops,
                        options.serverTls(),
                        options.layout(),
                        () -> options.memory().echo(tally)),
                site);
    }

    @Override
    public int port() {
        return LoopbackChannels.port(listener);
    }

    @Override
    public String address() {
        return Integer.toString(site.advertised(port()));
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
