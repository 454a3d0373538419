package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.bench.operation.MeasuredPeer;
import io.parley.bench.operation.PeerLocation;
import io.parley.bench.operation.PeerStack;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Publication;
import io.parley.discovery.SearchOptions;
import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.Pipes;
import io.parley.transport.udp.UdpPropagationProvider;
import io.parley.transport.udp.UdpSettings;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A peer of Parley that performs one operation after another, as a program would. */
final class ParleyMeasuredPeer implements MeasuredPeer {

    /** A free port on loopback. */
    static final String LISTEN_ADDRESS = "tcp://127.0.0.1:0";

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration SEARCH_TIMEOUT = Duration.ofSeconds(5);
    private static final long RETRY_DELAY_MILLIS = 5;
    private static final int PAYLOAD_BYTES = 100;
    private static final int MAX_LOCAL_RESULTS = 100;

    private final PeerBuilder builder;
    private final boolean hasRendezvous;
    private final String uniqueName = UUID.randomUUID().toString();
    private @Nullable Peer started;
    private @Nullable OutputPipe output;

    ParleyMeasuredPeer(PeerBuilder builder, boolean hasRendezvous) {
        this.builder = builder;
        this.hasRendezvous = hasRendezvous;
    }

    /** Returns the builder of a peer at this place. */
    static PeerBuilder builder(PeerLocation place) {
        PeerBuilder builder = Peer.builder().listen(LISTEN_ADDRESS);
        return place.hasRendezvous()
                ? builder.multicast(false).rendezvous(place.rendezvous())
                : builder.propagationTransport(new UdpPropagationProvider(UdpSettings.DEFAULTS.toBuilder()
                        .port(place.port())
                        .hops(0)
                        .build()));
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
        PeerGroup group = peer().group("bench " + uniqueName).join();
        if (hasRendezvous) {
            await(group.whenOnline());
        }
    }

    @Override
    public void publishPipe() throws Exception {
        Publication publication = peer().netGroup()
                .discovery()
                .publish(PipeAdvertisement.of(ownPipe(), PipeType.UNICAST, "bench " + uniqueName));
        if (hasRendezvous) {
            await(publication.whenIndexed());
        }
    }

    private PipeId ownPipe() {
        return Pipes.of(peer()).pipeId(uniqueName);
    }

    @Override
    public void openInput() {
        Pipes.of(peer()).listen(ownPipe(), message -> {});
    }

    @Override
    public void findLocalPeers() {
        findLocal(PeerAdvertisement.TYPE_NAME);
    }

    @Override
    public void findLocalPipes() {
        findLocal(PipeAdvertisement.TYPE_NAME);
    }

    private void findLocal(String type) {
        peer().netGroup().discovery().findLocal(DiscoveryQuery.of(type), MAX_LOCAL_RESULTS);
    }

    @Override
    public void findPeer() throws Exception {
        find(PeerAdvertisement.TYPE_NAME, PeerStack.REMOTE_PEER_NAME);
    }

    @Override
    public void findPipe() throws Exception {
        find(PipeAdvertisement.TYPE_NAME, PeerStack.PIPE_NAME);
    }

    /** Searches until there is a result: a search that starts before multicast has reached the remote peer has none. */
    private void find(String type, String name) throws Exception {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        SearchOptions options = SearchOptions.of(SEARCH_TIMEOUT, 1);
        DiscoveryQuery query = DiscoveryQuery.of(type).with("Name", name);
        while (await(peer().netGroup().discovery().find(query, options)).isEmpty()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(type + " with name " + name + ": not found within " + TIMEOUT);
            }
            TimeUnit.MILLISECONDS.sleep(RETRY_DELAY_MILLIS);
        }
    }

    @Override
    public void openOutput() throws InterruptedException {
        output = Pipes.of(peer()).connect(PeerStack.PIPE_NAME, TIMEOUT);
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
        return future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    private static <T> T required(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException(
                    "operation: an earlier operation has not been performed; perform all in order");
        }
        return value;
    }
}
