package io.parley.bench.netty;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.util.List;

/** A variant of raw Netty with a length in front of each message. */
abstract class AbstractNettyContender implements Contender {

    private final String name;
    private final String description;
    private final List<String> comparators;

    AbstractNettyContender(String name, String description, String... comparators) {
        this.name = name;
        this.description = description;
        this.comparators = List.of(comparators);
    }

    /** Returns the variant. Called only in the contender's own processes, because others may have no Netty. */
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
    public final boolean eventDriven() {
        return true;
    }

    @Override
    public final List<String> comparators() {
        return comparators;
    }

    @Override
    public final String details() {
        return options().details();
    }

    @Override
    public final Server serve(ProcessLocation site, MessageCounter tally) throws Exception {
        return NettyServer.start(site, tally, options());
    }

    @Override
    public final ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies)
            throws Exception {
        return NettyClient.open(Integer.parseInt(address), replies, options());
    }
}
