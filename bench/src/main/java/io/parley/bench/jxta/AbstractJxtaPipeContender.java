package io.parley.bench.jxta;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A type of JXTA's pipes, resolved directly between two peers. */
abstract class AbstractJxtaPipeContender implements Contender {

    private final String name;
    private final String description;
    private final JxtaPipeType type;
    private final List<String> comparators;

    AbstractJxtaPipeContender(String name, String description, JxtaPipeType type, String... comparators) {
        this.name = name;
        this.description = description;
        this.type = type;
        this.comparators = List.of(comparators);
    }

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
    public final List<Path> ownJars() {
        return JxtaJars.list();
    }

    @Override
    public final Optional<String> obstacle() {
        return JxtaJars.obstacle();
    }

    @Override
    public final String details() {
        return "JXSE 2.5";
    }

    @Override
    public final Server serve(ProcessLocation site, MessageCounter tally) throws Exception {
        return JxtaPipeServer.start(site, tally, type);
    }

    @Override
    public final ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies)
            throws Exception {
        return JxtaPipeClient.open(address, site, replies, type);
    }
}
