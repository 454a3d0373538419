package io.parley.advertisement;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.Vector;
import java.util.logging.Level;
import java.util.logging.Logger;
import net.jxta.document.AdvertisementFactory;
import net.jxta.document.MimeMediaType;
import net.jxta.document.StructuredDocument;
import net.jxta.document.StructuredDocumentFactory;
import net.jxta.document.StructuredDocumentUtils;
import net.jxta.document.XMLElement;
import net.jxta.endpoint.EndpointAddress;
import net.jxta.id.ID;
import net.jxta.id.IDFactory;
import net.jxta.peer.PeerID;
import net.jxta.peergroup.PeerGroup;
import net.jxta.peergroup.PeerGroupID;
import net.jxta.pipe.PipeID;
import net.jxta.pipe.PipeService;
import net.jxta.protocol.AccessPointAdvertisement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The JXSE 2.5 library reads documents written by Parley, including ids, and Parley reads documents written by the library. */
final class JxseAdvertisementTest {
    private static final String NAME = "a <b> & \"c\" 'd' ]] 世界 \uD83D\uDE80";

    /** A strong reference, because the JDK holds loggers weakly. */
    private static final Logger JXTA_LOGGER = Logger.getLogger("net.jxta");

    private static final GroupId GROUP = GroupId.ofName("weather");
    private static final PeerId PEER = TestPublishers.ALICE.peerId();
    private static final PeerId RELAY = TestPublishers.MALLORY.peerId();
    private static final RouteAdvertisement ROUTE = new RouteAdvertisement(
            AdvertisementId.of(PEER),
            List.of("tcp://192.0.2.1:9701", "http://192.0.2.1:9700"),
            List.of(new AccessPoint(AdvertisementId.of(RELAY), List.of("tcp://192.0.2.2:9701"))));

    private final AdvertisementCodec documents = AdvertisementCodec.builtIn(AdvertisementLimits.DEFAULTS);

    @BeforeAll
    static void disableLibraryLogs() {
        JXTA_LOGGER.setLevel(Level.OFF);
    }

    @Test
    void ourPipe_isReadByJxta() throws Exception {
        PipeId id = PipeId.ofName(GROUP, "chat");
        net.jxta.protocol.PipeAdvertisement theirs = theirs(
                net.jxta.protocol.PipeAdvertisement.class,
                new PipeAdvertisement(AdvertisementId.of(id), PipeType.UNICAST_SECURE, NAME, "d"));
        assertThat(theirs.getName()).isEqualTo(NAME);
        assertThat(theirs.getType()).isEqualTo(PipeService.UnicastSecureType);
        assertThat(theirs.getDescription()).isEqualTo("d");
        assertThat(theirs.getPipeID()).isInstanceOf(PipeID.class);
        assertThat(new AdvertisementId(theirs.getPipeID().toString()).pipeId()).contains(id);
        ID group = ((PipeID) theirs.getPipeID()).getPeerGroupID();
        assertThat(new AdvertisementId(group.toString()).groupId()).contains(GROUP);
    }

    @Test
    void ourPeer_isReadByJxta_andItsWholeKeyComesBack() throws Exception {
        net.jxta.protocol.PeerAdvertisement theirs = theirs(
                net.jxta.protocol.PeerAdvertisement.class,
                PeerAdvertisement.of(PEER, GROUP, NAME).withRoute(ROUTE));
        assertThat(theirs.getName()).isEqualTo(NAME);
        assertThat(new AdvertisementId(theirs.getPeerID().toString()).peerId()).contains(PEER);
        assertThat(new AdvertisementId(theirs.getPeerGroupID().toString()).groupId())
                .contains(GROUP);
        StructuredDocument<?> endpoint = theirs.getServiceParam(PeerGroup.endpointClassID);
        XMLElement<?> routeElement = (XMLElement<?>) endpoint.getChildren().nextElement();
        assertTheirRoute((net.jxta.protocol.RouteAdvertisement) AdvertisementFactory.newAdvertisement(routeElement));
        assertThat(ours(theirs))
                .isEqualTo(PeerAdvertisement.of(PEER, GROUP, NAME).withRoute(ROUTE));
    }

    @Test
    void ourRouteAndRendezvous_areReadByJxta() throws Exception {
        assertTheirRoute(theirs(net.jxta.protocol.RouteAdvertisement.class, ROUTE));
        RdvAdvertisement rendezvous =
                new RdvAdvertisement(AdvertisementId.of(GROUP), AdvertisementId.of(PEER), "svc", NAME, ROUTE);
        net.jxta.protocol.RdvAdvertisement theirs = theirs(net.jxta.protocol.RdvAdvertisement.class, rendezvous);
        assertThat(theirs.getServiceName()).isEqualTo("svc");
        assertThat(theirs.getName()).isEqualTo(NAME);
        assertTheirRoute(theirs.getRouteAdv());
        assertThat(ours(theirs)).isEqualTo(rendezvous);
    }

    @Test
    void ourGroupAndModules_areReadByJxta() throws Exception {
        AdvertisementId spec = new AdvertisementId(PeerGroup.refPlatformSpecID.toString());
        PeerGroupAdvertisement group =
                new PeerGroupAdvertisement(AdvertisementId.of(GROUP), spec, NAME, "d", List.of());
        assertThat(ours(theirs(net.jxta.protocol.PeerGroupAdvertisement.class, group)))
                .isEqualTo(group);
        ModuleClassAdvertisement moduleClass =
                new ModuleClassAdvertisement(AdvertisementId.RENDEZVOUS_SERVICE, NAME, "d");
        assertThat(ours(theirs(net.jxta.protocol.ModuleClassAdvertisement.class, moduleClass)))
                .isEqualTo(moduleClass);
        ModuleSpecAdvertisement moduleSpec = new ModuleSpecAdvertisement(
                spec,
                NAME,
                "d",
                "creator",
                "http://192.0.2.1/spec",
                "1.0",
                null,
                PipeAdvertisement.of(PipeId.ofName(GROUP, "chat"), PipeType.UNICAST, "chat"),
                null,
                null);
        assertThat(ours(theirs(net.jxta.protocol.ModuleSpecAdvertisement.class, moduleSpec)))
                .isEqualTo(moduleSpec);
        ModuleImplAdvertisement moduleImpl = new ModuleImplAdvertisement(
                spec,
                "d",
                XmlElement.of(
                        "Comp", XmlElement.ofText("Efmt", "JDK1.4.1"), XmlElement.ofText("Bind", "V2.0 Ref Impl")),
                "a.B",
                "http://192.0.2.1/x.jar",
                NAME,
                null);
        assertThat(ours(theirs(net.jxta.protocol.ModuleImplAdvertisement.class, moduleImpl)))
                .isEqualTo(moduleImpl);
    }

    @Test
    void theirPipe_isReadByUs() throws Exception {
        net.jxta.protocol.PipeAdvertisement theirs = made(
                net.jxta.protocol.PipeAdvertisement.class, net.jxta.protocol.PipeAdvertisement.getAdvertisementType());
        ID id = IDFactory.newPipeID(
                PeerGroupID.defaultNetPeerGroupID, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
        theirs.setPipeID(id);
        theirs.setType(PipeService.PropagateType);
        theirs.setName(NAME);
        theirs.setDescription("d");
        PipeAdvertisement ours = (PipeAdvertisement) ours(theirs);
        assertThat(ours)
                .isEqualTo(new PipeAdvertisement(new AdvertisementId(id.toString()), PipeType.PROPAGATE, NAME, "d"));
        assertThat(ours.group()).contains(new AdvertisementId("urn:jxta:jxta-NetGroup"));
    }

    @Test
    void theirPeer_isReadByUs() throws Exception {
        net.jxta.protocol.PeerAdvertisement theirs = made(
                net.jxta.protocol.PeerAdvertisement.class, net.jxta.protocol.PeerAdvertisement.getAdvertisementType());
        PeerID id = IDFactory.newPeerID(PeerGroupID.defaultNetPeerGroupID);
        theirs.setPeerID(id);
        theirs.setPeerGroupID(PeerGroupID.defaultNetPeerGroupID);
        theirs.setName(NAME);
        theirs.putServiceParam(PeerGroup.endpointClassID, parameters(theirRoute(id)));
        PeerAdvertisement ours = (PeerAdvertisement) ours(theirs);
        assertThat(ours.peerId()).isEqualTo(new AdvertisementId(id.toString()));
        assertThat(ours.groupId().urn()).isEqualTo("urn:jxta:jxta-NetGroup");
        assertThat(ours.name()).isEqualTo(NAME);
        assertThat(ours.route()).hasValueSatisfying(route -> {
            assertThat(route.destination()).isEqualTo(ours.peerId());
            assertThat(route.addresses()).containsExactly("tcp://192.0.2.1:9701");
            assertThat(route.hops()).hasSize(1);
        });
    }

    @Test
    void theirRouteAndRendezvous_areReadByUs() throws Exception {
        PeerID id = IDFactory.newPeerID(PeerGroupID.defaultNetPeerGroupID);
        net.jxta.protocol.RdvAdvertisement theirs = made(
                net.jxta.protocol.RdvAdvertisement.class, net.jxta.protocol.RdvAdvertisement.getAdvertisementType());
        theirs.setGroupID(PeerGroupID.defaultNetPeerGroupID);
        theirs.setPeerID(id);
        theirs.setServiceName("svc");
        theirs.setRouteAdv(theirRoute(id));
        RdvAdvertisement ours = (RdvAdvertisement) ours(theirs);
        assertThat(ours.peerId()).isEqualTo(new AdvertisementId(id.toString()));
        assertThat(ours.route()).isEqualTo(ours(theirRoute(id)));
        assertThat(ours.attributes())
                .contains(new AdvertisementAttribute("RdvServiceName", "svc"))
                .contains(new AdvertisementAttribute("RdvGroupId", "urn:jxta:jxta-NetGroup"));
    }

    @Test
    void theirPublishedIndexFields_areOurs() throws Exception {
        assertIndex(net.jxta.protocol.PipeAdvertisement.getAdvertisementType(), "Name", "Id");
        assertIndex(net.jxta.protocol.PeerAdvertisement.getAdvertisementType(), "Name", "PID");
        assertIndex(net.jxta.protocol.PeerGroupAdvertisement.getAdvertisementType(), "Name", "GID", "Desc", "MSID");
        assertIndex(net.jxta.protocol.RouteAdvertisement.getAdvertisementType(), "DstPID");
        assertIndex(
                net.jxta.protocol.RdvAdvertisement.getAdvertisementType(), "RdvPeerId", "RdvServiceName", "RdvGroupId");
        assertIndex(net.jxta.protocol.ModuleClassAdvertisement.getAdvertisementType(), "Name", "MCID");
        assertIndex(net.jxta.protocol.ModuleSpecAdvertisement.getAdvertisementType(), "Name", "MSID");
        assertIndex(net.jxta.protocol.ModuleImplAdvertisement.getAdvertisementType(), "MSID");
    }

    private void assertIndex(String type, String... fields) {
        assertThat(AdvertisementFactory.newAdvertisement(type).getIndexFields())
                .as(type)
                .containsExactlyInAnyOrder(fields);
        Set<String> ours = new TreeSet<>();
        AdvertisementGenerator advertisements = new AdvertisementGenerator(71);
        for (int i = 0; i < 300; i++) {
            Advertisement advertisement = advertisements.next();
            if (advertisement.type().equals(type)) {
                advertisement.attributes().forEach(attribute -> ours.add(attribute.name()));
            }
        }
        Set<String> expected = new TreeSet<>(List.of(fields));
        if (type.equals("jxta:MSA")) {
            expected.add("MCID"); // JXTA searches for the first part of MSID instead
        }
        assertThat(ours).as(type).isEqualTo(expected);
    }

    private static void assertTheirRoute(net.jxta.protocol.RouteAdvertisement theirs) {
        assertThat(new AdvertisementId(theirs.getDestPeerID().toString()).peerId())
                .contains(PEER);
        assertThat(theirs.getDestEndpointAddresses().stream().map(Object::toString))
                .containsExactlyInAnyOrderElementsOf(ROUTE.addresses());
        AccessPointAdvertisement hop = theirs.getHops().nextElement();
        assertThat(new AdvertisementId(hop.getPeerID().toString()).peerId()).contains(RELAY);
        assertThat(addresses(hop)).containsExactly("tcp://192.0.2.2:9701");
    }

    private static List<String> addresses(AccessPointAdvertisement point) {
        return Collections.list(point.getEndpointAddresses()).stream()
                .map(Object::toString)
                .toList();
    }

    private static net.jxta.protocol.RouteAdvertisement theirRoute(PeerID destination) throws Exception {
        net.jxta.protocol.RouteAdvertisement route = made(
                net.jxta.protocol.RouteAdvertisement.class,
                net.jxta.protocol.RouteAdvertisement.getAdvertisementType());
        route.setDestPeerID(destination);
        route.setDest(point(null, "tcp://192.0.2.1:9701"));
        PeerID relay =
                (PeerID) IDFactory.fromURI(new URI(AdvertisementId.of(RELAY).urn()));
        route.setHops(new Vector<>(List.of(point(relay, "tcp://192.0.2.2:9701"))));
        return route;
    }

    private static AccessPointAdvertisement point(@Nullable PeerID peer, String address) {
        AccessPointAdvertisement point =
                made(AccessPointAdvertisement.class, AccessPointAdvertisement.getAdvertisementType());
        if (peer != null) {
            point.setPeerID(peer);
        }
        point.addEndpointAddress(new EndpointAddress(address));
        return point;
    }

    /** Returns a route as service parameters, copied like in the library's endpoint. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static StructuredDocument<?> parameters(net.jxta.protocol.RouteAdvertisement route) {
        StructuredDocument parameters = StructuredDocumentFactory.newStructuredDocument(MimeMediaType.XMLUTF8, "Parm");
        StructuredDocument document = (StructuredDocument) route.getDocument(MimeMediaType.XMLUTF8);
        StructuredDocumentUtils.copyElements(parameters, parameters, document);
        return parameters;
    }

    private static <T> T made(Class<T> type, String name) {
        return type.cast(AdvertisementFactory.newAdvertisement(name));
    }

    /** Parses our document with the library. */
    private <T> T theirs(Class<T> type, Advertisement ours) throws IOException {
        StructuredDocument<?> document = StructuredDocumentFactory.newStructuredDocument(
                MimeMediaType.XMLUTF8, new ByteArrayInputStream(documents.encode(ours)));
        return type.cast(AdvertisementFactory.newAdvertisement((XMLElement<?>) document));
    }

    /** Parses the library's document, in both of the styles that it writes. */
    private Advertisement ours(net.jxta.document.Advertisement theirs) throws IOException {
        ByteArrayOutputStream pretty = new ByteArrayOutputStream();
        theirs.getDocument(MimeMediaType.XMLUTF8).sendToStream(pretty);
        ByteArrayOutputStream compact = new ByteArrayOutputStream();
        theirs.getDocument(new MimeMediaType("text/xml")).sendToStream(compact);
        Advertisement read = documents.decode(pretty.toByteArray());
        assertThat(documents.decode(compact.toByteArray())).isEqualTo(read);
        return read;
    }
}
