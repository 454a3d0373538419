package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.bench.operation.MeasuredPeer;
import io.parley.bench.operation.PeerStack;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Publication;
import io.parley.discovery.SearchOptions;
import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.Pipes;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What a program would do with Parley that does one thing after the other. */
final class ParleyMeasuredPeer implements MeasuredPeer {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration ROUND = Duration.ofSeconds(5);
    private static final long PAUSE_MILLIS = 5;
    private static final int PAYLOAD_BYTES = 100;

    private final PeerBuilder builder;
    private final boolean hasRendezvous;
    private final String fresh = UUID.randomUUID().toString();
    private @Nullable Peer started;
    private @Nullable OutputPipe output;

    ParleyMeasuredPeer(PeerBuilder builder, boolean hasRendezvous) {
        this.builder = builder;
        this.hasRendezvous = hasRendezvous;
    }

    @Override
    public void boot() {
        started = builder.start();
    }

    private Peer peer() {
        return required(started);
    }

    @Override
    public void findRendezvous() throws Exception {
        if (hasRendezvous) {
            await(peer().whenOnline());
        }
    }

    @Override
    public void joinGroup() throws Exception {
        PeerGroup group = peer().group("bench " + fresh).join();
        if (hasRendezvous) {
            await(group.whenOnline());
        }
    }

    @Override
    public void publishPipe() throws Exception {
        Publication publication = peer().netGroup()
                .discovery()
                .publish(PipeAdvertisement.of(ownPipe(), PipeType.UNICAST, "bench " + fresh));
        if (hasRendezvous) {
            await(publication.whenIndexed());
        }
    }

    private PipeId ownPipe() {
        return Pipes.of(peer()).pipeId(fresh);
    }

    @Override
    public void openInput() {
        Pipes.of(peer()).listen(ownPipe(), message -> {});
    }

    @Override
    public void findPeer() throws Exception {
        find(PeerAdvertisement.TYPE_NAME, PeerStack.OTHER);
    }

    @Override
    public void findPipe() throws Exception {
        find(PipeAdvertisement.TYPE_NAME, PeerStack.PIPE);
    }

    /** A search that begins before the network nearby is there ends with nothing, and is begun again. */
    private void find(String type, String name) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        SearchOptions first = SearchOptions.of(ROUND, 1);
        DiscoveryQuery query = DiscoveryQuery.of(type).with("Name", name);
        while (await(peer().netGroup().discovery().find(query, first)).isEmpty()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("no " + type + " of name " + name + " was found");
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    @Override
    public void openOutput() throws InterruptedException {
        output = Pipes.of(peer()).connect(PeerStack.PIPE, PATIENCE);
    }

    @Override
    public void send() {
        required(output).send(Message.of("payload", new byte[PAYLOAD_BYTES]));
    }

    @Override
    public void shutDown() {
        peer().close();
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static <T> T required(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("out of order");
        }
        return value;
    }
}
