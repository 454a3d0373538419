package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;

import io.netty.buffer.ByteBuf;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.link.Link;
import io.parley.identity.Identity;
import io.parley.testkit.ProcessorTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The processor time of a link for frames of its remote peer, by the number of its channels and frames. */
class LinkProcessorTimeTest {

    private static final int CHANNELS = 250;
    private static final int HANDLE_STEP = 1 << 16;

    private final EndpointFixture fixture = new EndpointFixture(1); // so that all links are on one event loop
    private final PeerEndpoint alice = fixture.start();
    private final List<RawPeer> peers = new ArrayList<>();

    @AfterEach
    void close() {
        peers.forEach(peer -> peer.connection.abort(null));
        fixture.close();
    }

    /** Opens channels to another peer, and ends the link; the remote peer does not. */
    private Link retiring(int channels) throws InterruptedException {
        RawPeer raw = RawPeer.connectAcknowledging(
                fixture, alice, Identity.generate(), peers.size() + 1, OptionalLong.empty());
        peers.add(raw);
        List<CompletableFuture<Void>> resolved = new ArrayList<>();
        for (int i = 0; i < channels; i++) {
            resolved.add(alice.messenger(raw.identity.peerId(), SERVICE).resolve());
        }
        for (int i = 1; i <= channels; i++) {
            int handle = i;
            raw.expect("OPEN");
            raw.write(frames -> frames.opened(handle, 0, OptionalLong.empty()));
        }
        resolved.forEach(EndpointFixture::join);
        Link link = Objects.requireNonNull(
                Objects.requireNonNull(alice.association(raw.identity.peerId())).activeLink());
        link.retire();
        raw.expect("GOODBYE");
        return link;
    }

    @Test
    void framesOnALinkThatEnds_costTheSame_howeverManyChannelsItHas() throws Exception {
        Map<Integer, Link> links = new HashMap<>();
        for (int channels : new int[] {CHANNELS, 2 * CHANNELS, 4 * CHANNELS}) {
            links.put(channels, retiring(channels));
        }
        ByteBuf credit = peers.get(0).frames.credit(1, 1);
        try {
            peers.get(0)
                    .connection
                    .executor()
                    .submit(() ->
                            ProcessorTime.assertLinear("CREDIT frames, as many as channels", CHANNELS, channels -> {
                                Link link = Objects.requireNonNull(links.get(channels));
                                return () -> {
                                    for (int i = 0; i < channels; i++) {
                                        link.onFrame(credit.duplicate());
                                    }
                                };
                            }))
                    .get(EndpointFixture.SOON.toSeconds(), TimeUnit.SECONDS);
        } finally {
            credit.release();
        }
    }

    /** Opens channels of another peer whose handles are multiples of a power of 2. */
    private Link receiving(int channels) throws InterruptedException {
        RawPeer raw = RawPeer.connectAcknowledging(
                fixture, alice, Identity.generate(), peers.size() + 1, OptionalLong.empty());
        peers.add(raw);
        for (int i = 1; i <= channels; i++) {
            int handle = i * HANDLE_STEP;
            raw.write(frames -> frames.open(handle, new Open(SERVICE, "", OptionalLong.empty(), 0)));
        }
        for (int i = 0; i < channels; i++) {
            raw.expect("OPENED");
        }
        return Objects.requireNonNull(
                Objects.requireNonNull(alice.association(raw.identity.peerId())).activeLink());
    }

    @Test
    void frames_costTheSame_whateverHandlesTheRemotePeerChooses() throws Exception {
        alice.listen(SERVICE, ReceivedMessage::release);
        Map<Integer, Link> links = new HashMap<>();
        for (int channels : new int[] {CHANNELS, 2 * CHANNELS, 4 * CHANNELS}) {
            links.put(channels, receiving(channels));
        }
        List<ByteBuf> blocked = new ArrayList<>();
        for (int i = 1; i <= 4 * CHANNELS; i++) {
            blocked.add(peers.get(0).frames.blocked(i * HANDLE_STEP));
        }
        try {
            peers.get(0)
                    .connection
                    .executor()
                    .submit(() ->
                            ProcessorTime.assertLinear("BLOCKED frames, one for each channel", CHANNELS, channels -> {
                                Link link = Objects.requireNonNull(links.get(channels));
                                return () ->
                                        blocked.subList(0, channels).forEach(frame -> link.onFrame(frame.duplicate()));
                            }))
                    .get(EndpointFixture.SOON.toSeconds(), TimeUnit.SECONDS);
        } finally {
            blocked.forEach(ByteBuf::release);
        }
    }
}
