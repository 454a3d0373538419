package io.parley.bench.parley;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.util.List;

/** Requests and responses over a pipe with TLS. Event loops sleep when they have no work, as those of gRPC. */
abstract class AbstractParleyRequestContender implements Contender {

    private final boolean direct;
    private final List<String> comparators;

    /** @param direct whether the handler runs on the event loop, instead of the default callback executor */
    AbstractParleyRequestContender(boolean direct, String... comparators) {
        this.direct = direct;
        this.comparators = List.of(comparators);
    }

    private static ParleyOptions options() {
        return ParleyOptions.tls(MeasuredLayer.PIPE).withoutSpin();
    }

    @Override
    public final boolean eventDriven() {
        return true;
    }

    @Override
    public final boolean onlyByName() {
        return true;
    }

    @Override
    public final List<String> comparators() {
        return comparators;
    }

    @Override
    public final String details() {
        return options().idle().label();
    }

    @Override
    public final Server serve(ProcessLocation location, MessageCounter counter) throws Exception {
        return ParleyRequestServer.start(location, options(), direct);
    }

    @Override
    public final ContenderClient connect(String address, ProcessLocation location, ReplyDispatcher replies)
            throws Exception {
        return ParleyRequestClient.open(address, replies, options());
    }
}
