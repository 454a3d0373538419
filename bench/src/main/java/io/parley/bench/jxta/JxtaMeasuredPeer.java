package io.parley.bench.jxta;

import io.parley.bench.operation.MeasuredPeer;
import io.parley.bench.operation.PeerLocation;
import io.parley.bench.operation.PeerStack;
import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import net.jxta.discovery.DiscoveryService;
import net.jxta.id.IDFactory;
import net.jxta.peergroup.PeerGroup;
import net.jxta.pipe.OutputPipe;
import net.jxta.protocol.PipeAdvertisement;
import org.jspecify.annotations.Nullable;

/** A peer of JXTA that performs each operation as the guides of JXTA describe. */
final class JxtaMeasuredPeer implements MeasuredPeer {

    private static final long TIMEOUT_MILLIS = 30_000;

    /** Queries can be lost and are therefore sent again. */
    private static final long RETRY_INTERVAL_MILLIS = 1000;

    /** Unique for each peer, so that no other peer has it in its cache. */
    private final String name = "bench-subject-" + UUID.randomUUID();

    private final PeerLocation place;
    private final PipeAdvertisement ownPipe = JxtaPipes.advertisement("bench-" + UUID.randomUUID());
    private @Nullable JxtaPeer started;
    private @Nullable PeerGroup joined;
    private @Nullable OutputPipe output;

    JxtaMeasuredPeer(PeerLocation place) {
        this.place = place;
    }

    @Override
    public void boot() throws Exception {
        started = JxtaPeerFactory.start(name, place);
    }

    private JxtaPeer peer() {
        return required(started);
    }

    @Override
    public void findRendezvous() {
        if (place.hasRendezvous() && !peer().awaitRendezvous(TIMEOUT_MILLIS)) {
            throw new IllegalStateException("rendezvous: not found within " + TIMEOUT_MILLIS + " ms");
        }
    }

    @Override
    public void joinGroup() throws Exception {
        PeerGroup net = peer().group();
        PeerGroup group = net.newGroup(
                IDFactory.newPeerGroupID(), net.getAllPurposePeerGroupImplAdvertisement(), "bench group", "bench");
        group.startApp(new String[0]);
        joined = group;
    }

    @Override
    public void publishPipe() throws IOException {
        discovery().publish(ownPipe);
        discovery().remotePublish(ownPipe);
    }

    private DiscoveryService discovery() {
        return peer().group().getDiscoveryService();
    }

    @Override
    public void openInput() throws IOException {
        peer().pipes().createInputPipe(ownPipe, event -> {});
    }

    @Override
    public void findLocalPeers() throws IOException {
        discovery().getLocalAdvertisements(DiscoveryService.PEER, null, null);
    }

    @Override
    public void findLocalPipes() throws IOException {
        discovery().getLocalAdvertisements(DiscoveryService.ADV, null, null);
    }

    @Override
    public void findPeer() throws Exception {
        find(DiscoveryService.PEER, PeerStack.REMOTE_PEER_NAME);
    }

    @Override
    public void findPipe() throws Exception {
        find(DiscoveryService.ADV, PeerStack.PIPE_NAME);
    }

    private void find(int type, String name) throws InterruptedException, ExecutionException, TimeoutException {
        CompletableFuture<Void> found = new CompletableFuture<>();
        for (long waitedMillis = 0;
                !found.isDone() && waitedMillis < TIMEOUT_MILLIS;
                waitedMillis += RETRY_INTERVAL_MILLIS) {
            discovery().getRemoteAdvertisements(null, type, "Name", name, 1, event -> found.complete(null));
            try {
                found.get(RETRY_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException expired) {
                // the next iteration sends the query again
            }
        }
        found.get(0, TimeUnit.MILLISECONDS);
    }

    @Override
    public void openOutput() throws IOException {
        output = peer().pipes().createOutputPipe(JxtaPipes.advertisement(PeerStack.PIPE_NAME), TIMEOUT_MILLIS);
    }

    @Override
    public void send() throws IOException {
        JxtaPipes.send(required(output), JxtaPayload.floodReply());
    }

    @Override
    public void shutDown() {
        PeerGroup group = joined;
        if (group != null) {
            group.stopApp();
        }
        peer().close();
    }

    private static <T> T required(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException(
                    "operation: an earlier operation has not been performed; perform all in order");
        }
        return value;
    }
}
