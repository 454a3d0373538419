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

/** What the guides of JXTA tell a program to do. */
final class JxtaMeasuredPeer implements MeasuredPeer {

    private static final long PATIENCE_MILLIS = 30_000;

    /** Questions get lost, and are asked again. */
    private static final long ASK_AGAIN_MILLIS = 1000;

    /** Another each time, of whom nobody has heard. */
    private final String name = "bench-subject-" + UUID.randomUUID();

    private final PeerLocation place;
    private final PipeAdvertisement own = JxtaPipes.advertisement("bench-" + UUID.randomUUID());
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
        if (place.hasRendezvous() && !peer().awaitRendezvous(PATIENCE_MILLIS)) {
            throw new IllegalStateException("no rendezvous was found");
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
        discovery().publish(own);
        discovery().remotePublish(own);
    }

    private DiscoveryService discovery() {
        return peer().group().getDiscoveryService();
    }

    @Override
    public void openInput() throws IOException {
        peer().pipes().createInputPipe(own, event -> {});
    }

    @Override
    public void findPeer() throws Exception {
        find(DiscoveryService.PEER, PeerStack.OTHER);
    }

    @Override
    public void findPipe() throws Exception {
        find(DiscoveryService.ADV, PeerStack.PIPE);
    }

    private void find(int type, String name) throws InterruptedException, ExecutionException, TimeoutException {
        CompletableFuture<Void> found = new CompletableFuture<>();
        for (long waited = 0; !found.isDone() && waited < PATIENCE_MILLIS; waited += ASK_AGAIN_MILLIS) {
            discovery().getRemoteAdvertisements(null, type, "Name", name, 1, event -> found.complete(null));
            try {
                found.get(ASK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException again) {
                // as said above
            }
        }
        found.get(0, TimeUnit.MILLISECONDS);
    }

    @Override
    public void openOutput() throws IOException {
        output = peer().pipes().createOutputPipe(JxtaPipes.advertisement(PeerStack.PIPE), PATIENCE_MILLIS);
    }

    @Override
    public void send() throws IOException {
        JxtaPipes.send(required(output), JxtaPayload.answer());
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
            throw new IllegalStateException("out of order");
        }
        return value;
    }
}
