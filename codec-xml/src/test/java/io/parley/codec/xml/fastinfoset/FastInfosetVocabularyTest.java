package io.parley.codec.xml.fastinfoset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufUtil;
import io.parley.codec.CodecSession;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.TestSeed;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Tests the bounds of the tables with the messages of the encoder and with malicious messages. */
final class FastInfosetVocabularyTest {
    private static final String ROOT = "e0000001 00 7c064d657373616765 780676657273696f6e 4030 f0";

    // -- messages of the encoder

    @Test
    void newValuesInEachMessage_areNotAdded() {
        assertThat(documents(5000, i -> Message.of(MessageElement.ofText("name " + i, "some content " + i))))
                .isOne();
    }

    @Test
    void newTypesInEachMessage_causeNoRestart() {
        assertThat(documents(
                        3000, i -> Message.of(MessageElement.ofText("name", "x").withType("text/x" + i))))
                .isOne();
    }

    @Test
    void newValuesThatOccurTwice_causeFewRestarts() {
        // 25,000 pairs of new names and contents of 300 bytes each. The tables hold about 150 pairs.
        int documents = documents(
                50_000,
                i -> Message.of(MessageElement.ofText(
                        "a rather long name, number " + i / 2, "and content ".repeat(16) + i / 2)));
        assertThat(documents).isBetween(2, 200);
    }

    @Test
    void changedTraffic_isCompressedAfterARestart() {
        CodecSession encoder = Sessions.open();
        CodecSession decoder = Sessions.open();
        for (int phase = 0; phase < 4; phase++) {
            List<Message> messages = new ArrayList<>();
            for (int i = 0; i < 150; i++) {
                messages.add(Message.of("phase " + phase + ", name " + i, "content ".repeat(15) + phase + "-" + i));
            }
            int last = 0;
            for (int round = 0; round < 8; round++) {
                last = 0;
                for (Message message : messages) {
                    byte[] encoded = Sessions.encode(encoder, message);
                    last += encoded.length;
                    assertThat(Sessions.decode(decoder, encoded)).isEqualTo(message);
                }
            }
            // About 150 bytes each, most of which are in the tables.
            assertThat(last / messages.size()).as("phase %d", phase).isLessThan(60);
        }
    }

    @Test
    void randomTraffic_staysWithinTheBounds() {
        Random random = TestSeed.random("FastInfosetVocabularyTest, traffic");
        CodecSession encoder = Sessions.open();
        CodecSession decoder = Sessions.open();
        for (int i = 0; i < 6000; i++) {
            int pool = 1 << random.nextInt(13);
            Message message = Message.of(
                    MessageElement.ofText(
                                    "n" + random.nextInt(pool), "c".repeat(random.nextInt(300)) + random.nextInt(4))
                            .withType("text/plain; x=" + random.nextInt(pool)),
                    MessageElement.of(
                            "b", Integer.toString(random.nextInt(pool)).getBytes(StandardCharsets.UTF_8)));
            assertThat(Sessions.decode(decoder, Sessions.encode(encoder, message)))
                    .isEqualTo(message);
        }
    }

    private static int documents(int messages, IntFunction<Message> message) {
        CodecSession encoder = Sessions.open();
        CodecSession decoder = Sessions.open();
        int documents = 0;
        for (int i = 0; i < messages; i++) {
            Message sent = message.apply(i);
            byte[] encoded = Sessions.encode(encoder, sent);
            documents += Sessions.isDocument(encoded) ? 1 : 0;
            assertThat(Sessions.decode(decoder, encoded)).isEqualTo(sent);
        }
        return documents;
    }

    // -- malicious messages

    @Test
    void tooManyValues_areRejected() {
        // Attributes with an unknown name, each of which adds a value to the table.
        assertExceeds("7801" + "6162" + "4078", "01" + "4078", 600, "table of attribute values: 513");
    }

    @Test
    void tooLargeValues_areRejected() {
        String value = "4c000003df" + "61".repeat(1000 + 256);
        assertExceeds("7801" + "6162" + value, "01" + value, 20, "table of bytes of attribute values: ");
    }

    @Test
    void tooManyNames_areRejected() {
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < 70; i++) {
            names.append("7801").append(String.format("61%02x", 0x30 + i)).append("0078");
        }
        assertRejected(root(names.toString()) + "f0ff", "table of local names: 65");
    }

    @Test
    void tooManyChunks_areRejected() {
        StringBuilder spaces = new StringBuilder(ROOT);
        for (int i = 0; i < 1025; i++) {
            spaces.append("9020");
        }
        assertRejected(spaces + "ff", "table of character chunks: 1025");
    }

    @Test
    void tooLargeChunks_areRejected() {
        StringBuilder spaces = new StringBuilder(ROOT);
        for (int i = 0; i < 34; i++) {
            spaces.append("93000002e5").append("20".repeat(1000));
        }
        assertRejected(spaces + "ff", "table of bytes of character chunks: 33000");
    }

    private static void assertExceeds(String first, String next, int times, String fault) {
        assertRejected(root(first + next.repeat(times)) + "f0ff", fault);
    }

    /** Returns a root element with the version and further attributes. */
    private static String root(String attributes) {
        return "e0000001 00 7c064d657373616765 780676657273696f6e 4030" + attributes;
    }

    private static void assertRejected(String hex, String fault) {
        byte[] bytes = ByteBufUtil.decodeHexDump(hex.replace(" ", ""));
        assertThatThrownBy(() -> Sessions.decode(Sessions.open(), bytes))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining(fault);
    }
}
