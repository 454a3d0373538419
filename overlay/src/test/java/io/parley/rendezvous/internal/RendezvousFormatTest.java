package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.discovery.DiscoveryQuery;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.store.ValuePattern;
import io.parley.testkit.WireFormatDocument;
import io.parley.transport.EndpointAddress;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What {@code docs/wire-format.md} says of rendezvous, and that what is written is read. */
class RendezvousFormatTest {

    private static final GroupId WEATHER = GroupId.ofName("weather");

    private static void assertMalformed(Runnable reading) {
        assertThatThrownBy(reading::run)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE));
    }

    private static PeerId peer(int number) {
        byte[] bytes = new byte[PeerId.BYTES];
        Arrays.fill(bytes, (byte) number);
        return PeerId.ofBytes(bytes);
    }

    @Test
    void group_isTheOneInTheDocument() {
        assertThat(RendezvousContext.GROUP.text()).isEqualTo("cgel7lxav7s3afob2yd57akbn2gkv22i");
    }

    @Test
    void said_isTheVectorInTheDocument() throws IOException {
        Identity sender = Identity.generate(new SecureRandom() {
            private static final long serialVersionUID = 1L;

            @Override
            public void nextBytes(byte[] bytes) {
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) i;
                }
            }
        });
        SignedGroupMessage said = SignedGroupMessage.sign(
                sender,
                List.of(EndpointAddress.parse("tcp://192.0.2.1:9701")),
                0x0102030405060708L,
                0x1a1fdfa4600L,
                WEATHER,
                ServiceAddress.of("radio"),
                Message.of("b", new byte[] {7}),
                1000);
        assertThat(HexFormat.of().formatHex(said.bytes())).isEqualTo(WireFormatDocument.vector("said"));
    }

    @Test
    void ranking_isTheOneInTheDocument() {
        long item = ReplicaSelector.item(WEATHER, "Name", "rain");
        assertThat(item).isEqualTo(0x043d4d6a2715f31eL);
        assertThat(new ReplicaSelector(List.of(peer(1), peer(2), peer(3))).select(3, item))
                .containsExactly(peer(2), peer(3), peer(1));
    }

    @Test
    void leaseRequest_isReadAsWritten() {
        LeaseRequest request = new LeaseRequest(Duration.ofSeconds(90), Set.of(WEATHER, GroupId.NET), 5);
        assertThat(LeaseRequest.read(request.write(), 2)).isEqualTo(request);
        assertThat(LeaseRequest.read(LeaseRequest.release().write(), 2)).isEqualTo(LeaseRequest.release());
        assertMalformed(() -> LeaseRequest.read(request.write(), 1));
        assertMalformed(() -> LeaseRequest.read(Message.EMPTY, 1));
    }

    @Test
    void leaseReply_isReadAsWritten() {
        LeaseResponse read = LeaseResponse.read(
                new LeaseResponse(Duration.ofSeconds(90), true, List.of(new byte[] {1}, new byte[] {2})).write());
        assertThat(read.granted()).isEqualTo(Duration.ofSeconds(90));
        assertThat(read.fresh()).isTrue();
        assertThat(read.referrals()).containsExactly(new byte[] {1}, new byte[] {2});
    }

    @Test
    void viewMessage_isReadAsWritten() {
        PeerViewMessage read = PeerViewMessage.read(
                new PeerViewMessage(0, List.of(new byte[] {1}), Map.of(peer(1), 5L, peer(2), 6L)).write());
        assertThat(read.documents()).containsExactly(new byte[] {1});
        assertThat(read.known()).isEqualTo(Map.of(peer(1), 5L, peer(2), 6L));
        assertThat(read.leaving()).isZero();
        assertThat(PeerViewMessage.read(PeerViewMessage.leave(9).write()).leaving())
                .isEqualTo(9);
        assertMalformed(() -> PeerViewMessage.read(Message.of(RendezvousElements.bytes("Known", new byte[39]))));
        assertMalformed(() -> PeerViewMessage.read(Message.of(RendezvousElements.bytes("Known", new byte[1025 * 40]))));
    }

    @Test
    void findRequest_isReadAsWritten_andItsLimitIsCut() {
        for (DiscoveryQuery query : List.of(
                DiscoveryQuery.any(),
                DiscoveryQuery.of("jxta:PA"),
                DiscoveryQuery.of("jxta:PA").with("Name", "a*b*"),
                DiscoveryQuery.any().with("Name", ValuePattern.exactly("a*")))) {
            IndexSearchRequest request = new IndexSearchRequest(WEATHER, query, 7, 5, true, Duration.ofSeconds(3));
            assertThat(IndexSearchRequest.read(request.write())).isEqualTo(request);
            assertThat(request.withPage(0, 1_000_000).limit()).isEqualTo(IndexSearchResponse.MAX_DOCUMENTS);
        }
        assertMalformed(() -> IndexSearchRequest.read(Message.EMPTY));
    }

    @Test
    void findReply_isReadAsWritten() {
        IndexSearchResponse read = IndexSearchResponse.read(
                new IndexSearchResponse(List.of(new byte[] {1}, new byte[] {2}), List.of(new byte[] {3}), true, 2)
                        .write());
        assertThat(read.hops()).isEqualTo(2);
        assertThat(read.documents()).containsExactly(new byte[] {1}, new byte[] {2});
        assertThat(read.peers()).containsExactly(new byte[] {3});
        assertThat(read.more()).isTrue();
    }

    @Test
    void documentsReply_isReadAsWritten() {
        PublishResponse read =
                PublishResponse.read(new PublishResponse(3, ErrorCode.LIMIT_EXCEEDED.exception("too many")).write());
        assertThat(read.refused()).isEqualTo(3);
        assertThat(read.fault()).isNotNull().hasMessage("too many");
        assertThat(PublishResponse.read(new PublishResponse(0, null).write()).fault())
                .isNull();
    }
}
