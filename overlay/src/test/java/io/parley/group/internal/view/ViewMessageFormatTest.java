package io.parley.group.internal.view;

import static io.parley.group.internal.view.UnsignedGroupMessages.peer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.internal.view.ViewMessage.Kind;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.transport.PeerAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ViewMessageFormatTest {

    private final List<byte[]> verified = new ArrayList<>();

    private MemberEntry verify(byte[] document) {
        verified.add(document);
        return new MemberEntry(new PeerAddress(peer(document[0]), List.of()), 1, 2, document);
    }

    private static MemberEntry entry(int number) {
        return new MemberEntry(new PeerAddress(peer(number), List.of()), 1, 2, new byte[] {(byte) number, 7});
    }

    private static List<MemberEntry> entries(int count) {
        List<MemberEntry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(entry(i + 1));
        }
        return entries;
    }

    private static MessageElement element(String name, int... bytes) {
        byte[] value = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            value[i] = (byte) bytes[i];
        }
        return MessageElement.of(name, value).withNamespace(ViewMessageFormat.NAMESPACE);
    }

    private void assertMalformed(String reason, MessageElement... elements) {
        assertMalformed(reason, Message.of(elements));
    }

    private void assertMalformed(String reason, Message message) {
        assertThatThrownBy(() -> ViewMessageFormat.read(message, this::verify))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                .hasMessageContaining(reason);
        assertThat(verified).isEmpty(); // it costs no signature
    }

    @Test
    void messages_areReadAsWritten() {
        for (Kind kind : Kind.values()) {
            for (int count : List.of(kind.minEntries(), kind.maxEntries())) {
                Message written = ViewMessageFormat.write(new ViewMessage(kind, 6, entries(count)));
                assertThat(ViewMessageFormat.isViewMessage(written)).isTrue();
                assertThat(ViewMessageFormat.readKind(written)).isEqualTo(kind);
                ViewMessage read = ViewMessageFormat.read(written, this::verify);
                assertThat(read.kind()).isEqualTo(kind);
                assertThat(read.hops()).isEqualTo(6);
                assertThat(read.entries())
                        .extracting(MemberEntry::peer)
                        .containsExactlyElementsOf(
                                entries(count).stream().map(MemberEntry::peer).toList());
            }
        }
        ViewMessage most = new ViewMessage(Kind.FORWARD_JOIN, 255, entries(1));
        assertThat(ViewMessageFormat.read(ViewMessageFormat.write(most), this::verify)
                        .hops())
                .isEqualTo(255);
    }

    @Test
    void numbersOfKinds_areThoseOfTheWire() {
        assertThat(Kind.values()).extracting(Kind::code).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    }

    @Test
    void message_withElementsOfALaterVersion_isRead() {
        Message later = ViewMessageFormat.write(ViewMessage.of(Kind.ALIVE)).with(element("Later", 1));
        assertThat(ViewMessageFormat.read(later, this::verify)).isEqualTo(ViewMessage.of(Kind.ALIVE));
    }

    @Test
    void otherMessages_areNoViewMessages() {
        assertThat(ViewMessageFormat.isViewMessage(Message.of(MessageElement.of("View", new byte[] {1, 0}))))
                .isFalse();
        assertThat(ViewMessageFormat.isViewMessage(TreeMessageFormat.write(new TreeMessage.Prune())))
                .isFalse();
    }

    @Test
    void header_outOfRange_isMalformed() {
        assertMalformed("View: element is missing");
        assertMalformed("View: element is missing", MessageElement.of("View", new byte[] {10, 0}));
        assertMalformed("View: 0 bytes (expected: 2)", element("View"));
        assertMalformed("View: 1 bytes (expected: 2)", element("View", 10));
        assertMalformed("View: 3 bytes (expected: 2)", element("View", 10, 0, 0));
        assertMalformed("kind: 0 (expected: 1 to 10)", element("View", 0, 0));
        assertMalformed("kind: 11 (expected: 1 to 10)", element("View", 11, 0));
        assertMalformed("kind: 255 (expected: 1 to 10)", element("View", 255, 0));
    }

    @Test
    void entries_outOfRange_areMalformed_andNotVerified() {
        for (Kind kind : Kind.values()) {
            assertMalformed(
                    "Entry of " + kind + ": " + (kind.maxEntries() + 1) + " times (expected: " + kind.minEntries()
                            + " to " + kind.maxEntries() + ")",
                    ViewMessageFormat.write(new ViewMessage(kind, 0, entries(kind.maxEntries() + 1))));
            if (kind.minEntries() > 0) {
                assertMalformed("Entry of " + kind + ": 0 times", ViewMessageFormat.write(ViewMessage.of(kind)));
            }
        }
    }

    @Test
    void largeEntry_isMalformed_andNoneIsVerified() {
        int max = MemberEntryFactory.MAX_BYTES;
        MessageElement header = element("View", Kind.SHUFFLE.code(), 0);
        assertMalformed(
                "Entry: " + (max + 1) + " bytes (expected: <= " + max + ")",
                header,
                element("Entry", 1),
                element("Entry", new int[max + 1]));
        ViewMessage largest = ViewMessageFormat.read(Message.of(header, element("Entry", new int[max])), this::verify);
        assertThat(largest.entries()).hasSize(1);
    }

    @Test
    void faultOfAnEntry_isThatOfTheMessage() {
        Message message = ViewMessageFormat.write(new ViewMessage(Kind.SHUFFLE, 0, Collections.nCopies(2, entry(1))));
        assertThatThrownBy(() -> ViewMessageFormat.read(message, document -> {
                    throw ErrorCode.SIGNATURE_REFUSED.exception("not signed");
                }))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SIGNATURE_REFUSED));
    }
}
