package io.parley.bench.jxta;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** JXTA's unicast pipes, which applications of JXTA commonly used. */
public final class JxtaPipeContender implements Contender {

    @Override
    public String name() {
        return "jxta-pipe";
    }

    @Override
    public String description() {
        return "JXTA 2.5 unicast pipes (InputPipe, OutputPipe), resolved directly between two peers, plain text;"
                + " two bugs repaired";
    }

    @Override
    public boolean eventDriven() {
        return true;
    }

    @Override
    public List<String> comparators() {
        return List.of("netty", "jxta-endpoint");
    }

    @Override
    public List<Path> ownJars() {
        return JxtaJars.list();
    }

    @Override
    public Optional<String> obstacle() {
        return JxtaJars.obstacle();
    }

    @Override
    public String details() {
        return "JXSE 2.5";
    }

    @Override
    public Server serve(ProcessLocation site, MessageCounter tally) throws Exception {
        return JxtaPipeServer.start(site, tally);
    }

    @Override
    public ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies) throws Exception {
        return JxtaPipeClient.open(address, site, replies);
    }
}
