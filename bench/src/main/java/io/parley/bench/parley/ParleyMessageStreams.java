package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamEnd;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.InputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.io.EOFException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The two sides of a stream of messages, one service or pipe in each direction. They have one connection. */
final class ParleyMessageStreams {

    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    private static final long OPEN_SECONDS = 60;

    private ParleyMessageStreams() {}

    static StreamContender.Server serve(ParleyOptions options, String host) {
        Peer peer = options.peer().listen("tcp://" + host + ":0").start();
        MessageSource source = source(peer, options.layer(), MeasuredLayer.PING);
        EndpointAddress local = peer.address().addresses().get(0);
        AtomicBoolean accepted = new AtomicBoolean();
        return new StreamContender.Server() {
            @Override
            public String address() {
                return PeerAddress.of(peer.id(), local).toString();
            }

            @Override
            public StreamEnd accept() throws Exception {
                if (accepted.getAndSet(true)) {
                    new CountDownLatch(1).await(); // there is one client
                }
                Arrival first = source.next();
                return new ParleyMessageStreamEnd(
                        open(peer, options.layer(), first.from(), MeasuredLayer.PONG), source, first.message());
            }

            @Override
            public void close() {
                peer.close();
            }
        };
    }

    static StreamContender.Client connect(ParleyOptions options, String address) {
        Peer peer = options.peer().start();
        PeerAddress server = PeerAddress.parse(address);
        peer.endpoint().addPeerAddress(server);
        MessageSource source = source(peer, options.layer(), MeasuredLayer.PONG);
        return new StreamContender.Client() {
            @Override
            public StreamEnd open() {
                return new ParleyMessageStreamEnd(
                        ParleyMessageStreams.open(peer, options.layer(), server.peer(), MeasuredLayer.PING),
                        source,
                        Message.EMPTY);
            }

            @Override
            public void close() {
                peer.close();
            }
        };
    }

    private static MeasuredLayer.Sender open(Peer peer, MeasuredLayer layer, PeerId remote, String name) {
        return layer.open(peer, remote, name)
                .orTimeout(OPEN_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    /** Opens the input: a pipe that the reading thread waits for, or a service whose listener queues the messages. */
    private static MessageSource source(Peer peer, MeasuredLayer layer, String name) {
        if (layer == MeasuredLayer.PIPE) {
            InputPipe input = MeasuredLayer.openInput(peer, name);
            return () -> {
                PipeMessage received =
                        input.receive(TIMEOUT).orElseThrow(() -> new EOFException("message: none within " + TIMEOUT));
                return new Arrival(received.from(), received.message());
            };
        }
        BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
        layer.listen(peer, name, (from, message) -> arrivals.add(new Arrival(from, message)));
        return arrivals::take;
    }

    /** A received message. */
    record Arrival(PeerId from, Message message) {}

    /** Waits for messages. */
    interface MessageSource {
        Arrival next() throws EOFException, InterruptedException;
    }
}
