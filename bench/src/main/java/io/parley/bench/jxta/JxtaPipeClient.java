package io.parley.bench.jxta;

import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.io.IOException;
import net.jxta.endpoint.EndpointAddress;
import net.jxta.endpoint.Messenger;
import net.jxta.pipe.InputPipe;
import net.jxta.pipe.OutputPipe;

/** Sends on the server's pipe, is told of what arrives on its own. */
final class JxtaPipeClient implements ContenderClient {

    private final JxtaPeer peer;
    private final Messenger neighbour;
    private final InputPipe input;
    private final OutputPipe output;
    private final JxtaPayload payload = new JxtaPayload();

    private JxtaPipeClient(JxtaPeer peer, Messenger neighbour, InputPipe input, OutputPipe output) {
        this.peer = peer;
        this.neighbour = neighbour;
        this.input = input;
        this.output = output;
    }

    static JxtaPipeClient open(String address, ProcessLocation site, ReplyDispatcher replies) throws Exception {
        JxtaPeer peer = JxtaPeer.start("bench-client", site);
        InputPipe input = JxtaPipes.listen(peer, JxtaPipes.PONG, event -> replies.arrived());
        // A connection is the route: both routers learn the other peer's address from its welcome.
        Messenger neighbour = peer.endpoint().getMessenger(new EndpointAddress(address));
        if (neighbour == null) {
            throw new IOException("no messenger to " + address);
        }
        OutputPipe output = JxtaPipes.open(peer, JxtaPipes.PING, "bench-server");
        return new JxtaPipeClient(peer, neighbour, input, output);
    }

    @Override
    public void prepare(int bytes) {
        payload.prepare(bytes);
    }

    @Override
    public void send() throws IOException {
        JxtaPipes.send(output, payload.echo());
    }

    @Override
    public void flood(long messages) throws IOException {
        for (long sent = 1; sent < messages; sent++) {
            JxtaPipes.send(output, payload.sink());
        }
        JxtaPipes.send(output, payload.last(messages));
    }

    @Override
    public int port() {
        return peer.port();
    }

    @Override
    public void close() {
        output.close();
        input.close();
        neighbour.close();
        peer.close();
    }
}
