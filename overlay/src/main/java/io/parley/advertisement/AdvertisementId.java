package io.parley.advertisement;

import io.parley.id.GroupId;
import io.parley.id.Id;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import java.util.Optional;

/**
 * An id as it stands in an advertisement: the URN of something in the overlay, ours or JXTA's. There is one spelling of
 * each id, so equal ids have equal texts. Our own ids are written in JXTA's form, which JXTA's library reads and keeps:
 *
 * <pre>
 *   PeerId    urn:jxta:uuid-(16 bytes of {@link GroupId#NET})(32 bytes of the peer id)03
 *   GroupId   urn:jxta:uuid-(16 bytes)02
 *   PipeId    urn:jxta:uuid-(16 bytes of the group)(16 bytes of the pipe)04
 * </pre>
 *
 * in upper-case hexadecimal digits, where zero bytes before the last byte are left out. Other ids, such as those of module
 * classes, are just kept.
 *
 * @param urn the canonical text. The constructor takes every spelling: ours ({@code urn:parley:pipe:...}), JXTA's in either
 *     case and with the zeros, and URNs of other name spaces, which stay as they are; white space around is ignored
 */
public record AdvertisementId(String urn) {
    /** The longest text that is read. */
    public static final int MAX_CHARS = 256;

    /** JXTA's class of the endpoint service: its parameters in a peer advertisement are the peer's route. */
    public static final AdvertisementId ENDPOINT_SERVICE =
            new AdvertisementId("urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE0000000805");

    /** JXTA's class of the rendezvous service. */
    public static final AdvertisementId RENDEZVOUS_SERVICE =
            new AdvertisementId("urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE0000000605");

    /** Fails with IllegalArgumentException when the text is no URN, or not the id that it says to be. */
    public AdvertisementId {
        urn = JxtaIdFormat.canonical(urn);
    }

    /** One of our ids. */
    public static AdvertisementId of(Id id) {
        return new AdvertisementId(JxtaIdFormat.of(id));
    }

    /** The peer id; empty when it is none of ours, as that of a JXTA peer, which is no key. */
    public Optional<PeerId> peerId() {
        return JxtaIdFormat.idOf(urn) instanceof PeerId peer ? Optional.of(peer) : Optional.empty();
    }

    /** The group id; empty when it is none, or that of a JXTA group which names its parent. */
    public Optional<GroupId> groupId() {
        return JxtaIdFormat.idOf(urn) instanceof GroupId group ? Optional.of(group) : Optional.empty();
    }

    /** The pipe id; empty when it is none. */
    public Optional<PipeId> pipeId() {
        return JxtaIdFormat.idOf(urn) instanceof PipeId pipe ? Optional.of(pipe) : Optional.empty();
    }

    /** The {@link #urn}. */
    @Override
    public String toString() {
        return urn;
    }
}
