package io.parley.group.internal.view;

import static io.parley.group.internal.view.UnsignedGroupMessages.peer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.internal.view.TreeMessage.Gossip;
import io.parley.group.internal.view.TreeMessage.Graft;
import io.parley.group.internal.view.TreeMessage.IHave;
import io.parley.group.internal.view.TreeMessage.Prune;
import io.parley.id.GroupId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.rendezvous.internal.SignedGroupMessage;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TreeMessageFormatTest {

    private static final int MAX_BODY_BYTES = 1000;
    private static final SignedGroupMessage.Key KEY = new SignedGroupMessage.Key(peer(0xfedcba98), -2);

    private static MessageElement element(String name, int... bytes) {
        byte[] value = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            value[i] = (byte) bytes[i];
        }
        return MessageElement.of(name, value).withNamespace(TreeMessageFormat.NAMESPACE);
    }

    private static SignedGroupMessage sign(int bodyBytes) {
        return SignedGroupMessage.sign(
                Identity.generate(),
                List.of(),
                7,
                1234,
                GroupId.ofName("weather"),
                ServiceAddress.of("radio"),
                Message.of("b", new byte[bodyBytes]),
                1 << 20);
    }

    private static TreeMessage read(TreeMessage message) {
        return TreeMessageFormat.read(TreeMessageFormat.write(message), MAX_BODY_BYTES);
    }

    private static void assertMalformed(String reason, MessageElement... elements) {
        assertThatThrownBy(() -> TreeMessageFormat.read(Message.of(elements), MAX_BODY_BYTES))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                .hasMessageContaining(reason);
    }

    @Test
    void gossip_isReadAsWritten() {
        SignedGroupMessage message = sign(100);
        Gossip read = (Gossip) read(new Gossip(message));
        assertThat(read.message().bytes()).isEqualTo(message.bytes());
        assertThat(read.message().isSigned()).isTrue();
    }

    @Test
    void gossip_withAWrongSignature_isRead() {
        byte[] bytes = sign(100).bytes().clone();
        bytes[bytes.length - 1] ^= 1;
        Gossip read = (Gossip) read(new Gossip(SignedGroupMessage.read(bytes)));
        assertThat(read.message().isSigned()).isFalse();
    }

    @Test
    void otherMessages_areReadAsWritten() {
        for (TreeMessage message : List.of(
                new IHave(LongStream.range(0, IHave.MAX_ANNOUNCEMENTS)
                        .mapToObj(i -> new SignedGroupMessage.Key(peer((int) i), i))
                        .toList()),
                new IHave(List.of(KEY)),
                new Graft(KEY),
                new Prune())) {
            assertThat(read(message)).isEqualTo(message);
        }
    }

    @Test
    void message_withElementsOfALaterVersion_isRead() {
        Message later = TreeMessageFormat.write(new Prune()).with(element("Later", 1));
        assertThat(TreeMessageFormat.read(later, MAX_BODY_BYTES)).isEqualTo(new Prune());
    }

    @Test
    void type_outOfRange_isMalformed() {
        assertMalformed("Type: element is missing");
        assertMalformed("Type: element is missing", MessageElement.of("Type", new byte[] {4}));
        assertMalformed("Type: 0 (expected: 1 to 4)", element("Type", 0));
        assertMalformed("Type: 5 (expected: 1 to 4)", element("Type", 5));
        assertMalformed("Type: 0 bytes (expected: 1)", element("Type"));
        assertMalformed("Type: 2 bytes (expected: 1)", element("Type", 0, 4));
    }

    @Test
    void gossip_outOfRange_isMalformed() {
        MessageElement type = element("Type", 1);
        assertMalformed("Signed: element is missing", type);
        assertMalformed("group message", type, element("Signed"));
        int maxBytes = MAX_BODY_BYTES + SignedGroupMessage.MAX_OVERHEAD_BYTES;
        assertMalformed(
                "Signed: " + (maxBytes + 1) + " bytes (expected: <= maxBodyBytes with overhead " + maxBytes + ")",
                type,
                element("Signed", new int[maxBytes + 1]));
    }

    @Test
    void announcements_outOfRange_areMalformed() {
        MessageElement type = element("Type", 2);
        assertMalformed("Have: element is missing", type);
        assertMalformed("Have: 0 bytes (expected: a multiple of 40, > 0, <= 20480)", type, element("Have"));
        assertMalformed("Have: 42 bytes", type, element("Have", new int[42]));
        assertMalformed("Have: 20520 bytes", type, element("Have", new int[513 * 40]));
    }

    @Test
    void graft_outOfRange_isMalformed() {
        assertMalformed("Key: element is missing", element("Type", 3));
        assertMalformed("Key: 41 bytes (expected: 40)", element("Type", 3), element("Key", new int[41]));
        assertMalformed("Key: 0 bytes (expected: 40)", element("Type", 3), element("Key"));
    }
}
