package io.parley.bench.jxta;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageBytes;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.Signal;
import java.io.IOException;
import java.io.UncheckedIOException;
import net.jxta.endpoint.Message;
import net.jxta.pipe.InputPipe;
import net.jxta.pipe.OutputPipe;
import net.jxta.pipe.PipeMsgEvent;
import net.jxta.pipe.PipeMsgListener;
import org.jspecify.annotations.Nullable;

/** A server that listens on one pipe and replies on the pipe of the client. */
final class JxtaPipeServer implements Contender.Server, PipeMsgListener {

    private final JxtaPeer peer;
    private final String address;
    private final MessageCounter tally;
    private final JxtaPipeType type;
    private @Nullable InputPipe input;
    private @Nullable OutputPipe replyPipe;

    private JxtaPipeServer(JxtaPeer peer, String address, MessageCounter tally, JxtaPipeType type) {
        this.peer = peer;
        this.address = address;
        this.tally = tally;
        this.type = type;
    }

    static JxtaPipeServer start(ProcessLocation site, MessageCounter tally, JxtaPipeType type) throws Exception {
        JxtaCertificate certificate = null;
        if (type == JxtaPipeType.SECURE) {
            JxtaCertificate.permitOldAlgorithms();
            certificate = JxtaCertificate.generate();
        }
        JxtaPeer peer = certificate == null
                ? JxtaPeer.start("bench-server", site)
                : JxtaPeer.startSecure("bench-server", site, certificate);
        String address = JxtaPeer.address(site.advertised(peer.port()));
        JxtaPipeServer server =
                new JxtaPipeServer(peer, certificate == null ? address : certificate.appendTo(address), tally, type);
        server.input = JxtaPipes.listen(server.peer, JxtaPipes.PING, type, server);
        return server;
    }

    @Override
    public void pipeMsgEvent(PipeMsgEvent event) {
        Message message = event.getMessage();
        MessageBytes received = JxtaPayload.received(message);
        try {
            if (Header.signal(received) == Signal.ECHO) {
                JxtaPipes.send(replyPipe(), JxtaPayload.reply(message));
            } else if (tally.count(received)) {
                JxtaPipes.send(replyPipe(), JxtaPayload.floodReply());
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("reply on the pipe of the client: cannot send", failed);
        }
    }

    /** Returns the pipe of the client. Resolves it for the first message, when the client is connected. */
    private synchronized OutputPipe replyPipe() throws IOException {
        OutputPipe pipe = replyPipe;
        if (pipe == null) {
            pipe = JxtaPipes.open(peer, JxtaPipes.PONG, type, "bench-client");
            replyPipe = pipe;
        }
        return pipe;
    }

    @Override
    public int port() {
        return peer.port();
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public void close() {
        if (input != null) {
            input.close();
        }
        peer.close();
    }
}
