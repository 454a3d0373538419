package io.parley.bench.jxta;

import io.parley.bench.contender.ComposedContenderClient;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.io.IOException;
import net.jxta.endpoint.EndpointAddress;
import net.jxta.endpoint.Messenger;
import net.jxta.pipe.InputPipe;
import net.jxta.pipe.OutputPipe;

/** A client that sends on the pipe of the server and receives on its own pipe. */
final class JxtaPipeClient implements ComposedContenderClient {

    private final JxtaPeer peer;
    private final Messenger messenger;
    private final InputPipe input;
    private final OutputPipe output;
    private final JxtaPayload payload = new JxtaPayload();

    private JxtaPipeClient(JxtaPeer peer, Messenger messenger, InputPipe input, OutputPipe output) {
        this.peer = peer;
        this.messenger = messenger;
        this.input = input;
        this.output = output;
    }

    static JxtaPipeClient open(String address, ProcessLocation site, ReplyDispatcher replies, JxtaPipeType type)
            throws Exception {
        JxtaPeer peer = start(address, site, type);
        InputPipe input = JxtaPipes.listen(
                peer, JxtaPipes.PONG, type, event -> replies.arrived(JxtaPayload.received(event.getMessage())));
        // The connection provides the route: each router gets the address of the remote peer from its welcome message.
        Messenger messenger = peer.endpoint().getMessenger(new EndpointAddress(JxtaCertificate.address(address)));
        if (messenger == null) {
            throw new IOException("messenger to " + address + ": JXTA cannot connect");
        }
        OutputPipe output = JxtaPipes.open(peer, JxtaPipes.PING, type, "bench-server");
        return new JxtaPipeClient(peer, messenger, input, output);
    }

    private static JxtaPeer start(String address, ProcessLocation site, JxtaPipeType type) throws Exception {
        if (type != JxtaPipeType.SECURE) {
            return JxtaPeer.start("bench-client", site);
        }
        JxtaCertificate.permitOldAlgorithms();
        return JxtaPeer.startSecure("bench-client", site, JxtaCertificate.in(address));
    }

    @Override
    public void prepare(int bytes) {
        payload.prepare(bytes);
    }

    @Override
    public void prepare(int bytes, int elements) {
        payload.prepare(bytes, elements);
    }

    @Override
    public void send() throws IOException {
        JxtaPipes.send(output, payload.echo());
    }

    @Override
    public void flood(long messages, long expected) throws IOException {
        for (long sent = 1; sent < messages; sent++) {
            JxtaPipes.send(output, payload.sink());
        }
        JxtaPipes.send(output, payload.last(expected));
    }

    @Override
    public int port() {
        return peer.port();
    }

    @Override
    public void close() {
        output.close();
        input.close();
        messenger.close();
        peer.close();
    }
}
