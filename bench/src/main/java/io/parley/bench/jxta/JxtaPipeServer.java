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
    private final ProcessLocation site;
    private final MessageCounter tally;
    private @Nullable InputPipe input;
    private @Nullable OutputPipe replyPipe;

    private JxtaPipeServer(JxtaPeer peer, ProcessLocation site, MessageCounter tally) {
        this.peer = peer;
        this.site = site;
        this.tally = tally;
    }

    static JxtaPipeServer start(ProcessLocation site, MessageCounter tally) throws Exception {
        JxtaPipeServer server = new JxtaPipeServer(JxtaPeer.start("bench-server", site), site, tally);
        server.input = JxtaPipes.listen(server.peer, JxtaPipes.PING, server);
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
            pipe = JxtaPipes.open(peer, JxtaPipes.PONG, "bench-client");
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
        return JxtaPeer.address(site.advertised(peer.port()));
    }

    @Override
    public void close() {
        if (input != null) {
            input.close();
        }
        peer.close();
    }
}
