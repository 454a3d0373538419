package io.parley.bench.parley;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.transport.TransportSecurity;
import java.util.List;

/** The endpoint with default settings (TLS). */
public final class ParleyEndpointTlsContender implements Contender {

    @Override
    public String name() {
        return "parley-endpoint-tls";
    }

    @Override
    public String description() {
        return "Parley's endpoint, one service each way, listener on the event loop, TLS 1.3";
    }

    @Override
    public boolean eventDriven() {
        return true;
    }

    @Override
    public List<String> comparators() {
        return List.of("netty-tls");
    }

    @Override
    public Server serve(ProcessLocation site, MessageCounter tally) {
        return ParleyServer.start(site, tally, MeasuredLayer.ENDPOINT, TransportSecurity.TLS);
    }

    @Override
    public ContenderClient connect(String address, ProcessLocation site, ReplyDispatcher replies) {
        return ParleyClient.open(address, replies, MeasuredLayer.ENDPOINT, TransportSecurity.TLS);
    }
}
