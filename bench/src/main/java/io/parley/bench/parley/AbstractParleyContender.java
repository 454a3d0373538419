package io.parley.bench.parley;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.util.List;

/** A variant of Parley. */
abstract class AbstractParleyContender implements Contender {

    private final String name;
    private final String description;
    private final List<String> comparators;

    AbstractParleyContender(String name, String description, String... comparators) {
        this.name = name;
        this.description = description;
        this.comparators = List.of(comparators);
    }

    /** Returns the variant. Called only in the contender's own processes, because others may have no Parley. */
    abstract ParleyOptions options();

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String description() {
        return description;
    }

    @Override
    public boolean eventDriven() {
        return true;
    }

    @Override
    public final List<String> comparators() {
        return comparators;
    }

    /** Returns the actual behavior of Parley's event loops in this process, with or without the spin. */
    @Override
    public final String details() {
        return options().idle().label();
    }

    @Override
    public final Server serve(ProcessLocation site, MessageCounter tally) throws Exception {
        return ParleyServer.start(site, tally, options());
    }

    @Override
    public ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies) throws Exception {
        return ParleyClient.open(address, replies, options());
    }
}
