package io.parley.bench.jxta;

import java.io.IOException;
import java.util.Collections;
import java.util.Random;
import net.jxta.document.AdvertisementFactory;
import net.jxta.endpoint.Message;
import net.jxta.id.IDFactory;
import net.jxta.peergroup.PeerGroupID;
import net.jxta.pipe.InputPipe;
import net.jxta.pipe.OutputPipe;
import net.jxta.pipe.PipeMsgListener;
import net.jxta.protocol.PipeAdvertisement;

/** Opens the two pipes of the contender, one in each direction. */
final class JxtaPipes {

    static final String PING = "parley-bench-ping";
    static final String PONG = "parley-bench-pong";

    private static final long RESOLVE_TIMEOUT_MILLIS = 60_000;

    private JxtaPipes() {}

    static InputPipe listen(JxtaPeer peer, String name, PipeMsgListener listener) throws IOException {
        return listen(peer, name, JxtaPipeType.UNICAST, listener);
    }

    static InputPipe listen(JxtaPeer peer, String name, JxtaPipeType type, PipeMsgListener listener)
            throws IOException {
        return peer.pipes().createInputPipe(advertisement(name, type), listener);
    }

    /** Opens the input of a unicast pipe, for a thread that waits for its messages. */
    static InputPipe open(JxtaPeer peer, String name) throws IOException {
        return peer.pipes().createInputPipe(advertisement(name, JxtaPipeType.UNICAST));
    }

    /** Resolves the pipe at the given peer only, which requires no discovery. */
    static OutputPipe open(JxtaPeer peer, String name, JxtaPipeType type, String remote) throws IOException {
        return peer.pipes()
                .createOutputPipe(
                        advertisement(name, type),
                        Collections.singleton(JxtaPeer.peerId(remote)),
                        RESOLVE_TIMEOUT_MILLIS);
    }

    /**
     * Sends a message. {@link OutputPipe#send} returns false if its queue is full for 250 ms; this method then retries.
     */
    static void send(OutputPipe pipe, Message message) throws IOException {
        boolean isSent = false;
        while (!isSent) {
            isSent = pipe.send(message);
        }
    }

    /** Returns the advertisement of a unicast pipe. */
    static PipeAdvertisement advertisement(String name) {
        return advertisement(name, JxtaPipeType.UNICAST);
    }

    private static PipeAdvertisement advertisement(String name, JxtaPipeType type) {
        byte[] seed = new byte[16];
        new Random(name.hashCode()).nextBytes(seed);
        PipeAdvertisement advertisement =
                (PipeAdvertisement) AdvertisementFactory.newAdvertisement(PipeAdvertisement.getAdvertisementType());
        advertisement.setPipeID(IDFactory.newPipeID(PeerGroupID.defaultNetPeerGroupID, seed));
        advertisement.setType(type.wireName());
        advertisement.setName(name);
        return advertisement;
    }
}
