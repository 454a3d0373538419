package io.parley.advertisement;

import io.parley.id.GroupId;
import io.parley.id.Id;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import java.util.Optional;

/**
 * An id in an advertisement: the URN of a peer, group, pipe or module, of Parley or of JXTA. Each id has one canonical
 * spelling, so equal ids have equal texts. Parley's ids are written in JXTA's form, which the JXTA library reads and preserves:
 *
 * <pre>
 *   PeerId    urn:jxta:uuid-(16 bytes of {@link GroupId#NET})(32 bytes of the peer id)03
 *   GroupId   urn:jxta:uuid-(16 bytes)02
 *   PipeId    urn:jxta:uuid-(16 bytes of the group)(16 bytes of the pipe)04
 * </pre>
 *
 * in upper-case hexadecimal digits, where zero bytes before the last byte are omitted. Other ids, such as those of module
 * classes, are preserved without interpretation.
 *
 * @param urn the canonical text. The constructor accepts every spelling: Parley's ({@code urn:parley:pipe:...}), JXTA's in
 *     either case and with the zeros, and URNs of other namespaces, which stay unchanged; it ignores surrounding white space
 */
public record AdvertisementId(String urn) {
    /** The maximum length of the text, in characters. */
    public static final int MAX_CHARS = 256;

    /** The JXTA module class of the endpoint service: its parameters in a peer advertisement are the route of the peer. */
    public static final AdvertisementId ENDPOINT_SERVICE =
            new AdvertisementId("urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE0000000805");

    /** The JXTA module class of the rendezvous service. */
    public static final AdvertisementId RENDEZVOUS_SERVICE =
            new AdvertisementId("urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE0000000605");

    /** Fails with IllegalArgumentException if the text is no URN or its id is malformed. */
    public AdvertisementId {
        urn = JxtaIdFormat.canonical(urn);
    }

    /** Returns the form of a Parley id. */
    public static AdvertisementId of(Id id) {
        return new AdvertisementId(JxtaIdFormat.of(id));
    }

    /** Returns the id of the module class of that name, JXTA's term for a kind of service. It is the same at every peer. */
    public static AdvertisementId ofModuleClass(String name) {
        return new AdvertisementId(JxtaIdFormat.moduleClass(name));
    }

    /**
     * Returns the id of the specification of that name of a module class. It is the same at every peer.
     *
     * @throws IllegalArgumentException if {@code moduleClass} is not the id of a module class, or has a role
     */
    public static AdvertisementId ofModuleSpec(AdvertisementId moduleClass, String name) {
        return new AdvertisementId(JxtaIdFormat.moduleSpec(moduleClass.urn(), name));
    }

    /** Returns the module class, without its role, in the id of a module class or specification; empty if it is neither. */
    public Optional<AdvertisementId> moduleClass() {
        return Optional.ofNullable(JxtaIdFormat.moduleClassOf(urn)).map(AdvertisementId::new);
    }

    /** Returns the peer id; empty if it is no Parley peer id, such as that of a JXTA peer, which is no key. */
    public Optional<PeerId> peerId() {
        return JxtaIdFormat.idOf(urn) instanceof PeerId peer ? Optional.of(peer) : Optional.empty();
    }

    /** Returns the group id; empty if it is none, or that of a JXTA group which names its parent. */
    public Optional<GroupId> groupId() {
        return JxtaIdFormat.idOf(urn) instanceof GroupId group ? Optional.of(group) : Optional.empty();
    }

    /** Returns the pipe id; empty if it is none. */
    public Optional<PipeId> pipeId() {
        return JxtaIdFormat.idOf(urn) instanceof PipeId pipe ? Optional.of(pipe) : Optional.empty();
    }

    /** Returns the {@link #urn}. */
    @Override
    public String toString() {
        return urn;
    }
}
