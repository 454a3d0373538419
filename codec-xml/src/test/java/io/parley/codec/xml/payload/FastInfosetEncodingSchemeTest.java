package io.parley.codec.xml.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.ServiceOptions;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.Eventually;
import io.parley.testkit.encoding.EncodingSchemeContractTest;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.memory.InMemoryNetwork;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the contract suite for the Fast Infoset encoding scheme, and tests which texts it encodes and restores. */
final class FastInfosetEncodingSchemeTest extends EncodingSchemeContractTest {
    /** Text of which the binary form is smaller. */
    private static final String BULK = "<r>" + "<item>text</item>".repeat(20) + "</r>";

    private final FastInfosetEncodingScheme encoding = new FastInfosetEncodingScheme();

    @Override
    protected EncodingScheme scheme() {
        return encoding;
    }

    @Override
    protected MessageElement encodable(Random random) {
        String document = "<list>" + Samples.randomDocument(random) + "<item>text</item>".repeat(20) + "</list>";
        return Samples.textElement(random.nextBoolean() ? "<?xml version='1.0'?>\n" + document + "\n" : document);
    }

    // -- encoded texts

    @ParameterizedTest
    @ValueSource(ints = {1, 50})
    void encode_employees_areSmallerAndRestored(int records) {
        MessageElement element = Samples.textElement(Samples.employees(records));
        Payload encoded = encoding.encode(element).orElseThrow();
        // Fast Infoset alone takes 149 and 3056 bytes; the XML declaration takes 56.
        assertThat(encoded.size()).isLessThan(records == 1 ? 220 : 3140);
        assertThat(encoding.decode(element.withPayload(encoded), element.size()))
                .isEqualTo(element.payload());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<?xml version=\"1.0\" encoding=\"ISO-8859-1\" standalone='yes' ?>\r\n",
                "\uFEFF",
                "<!-- a comment -->\n<?and an instruction?>\n",
                "\n\n  "
            })
    void encode_anyPrologue_isRestored(String prologue) {
        assertRestored(prologue + BULK + "\n\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<a/><a/>",
                "<a /><a />",
                "<a></a><a></a>",
                "<a b='\"'/><a b='&apos;'/>",
                "<a b=\"'\"/><a b=\"&quot;\"/>",
                "1 &gt; 2",
                "1 > 2",
                "one\r\ntwo<![CDATA[\r\n]]><!--\r\n-->",
                "one\ntwo",
                "<a b=\"&#xA;&#x9;&#xD;\"/>&#xD;",
                "<p:a xmlns:p=\"urn:p\" xmlns=\"urn:d\" p:c=\"1\" d=\"2\"><b xmlns=\"\"/></p:a>",
                "<![CDATA[<&]]> <![CDATA[]] >]]>",
                "<?do it?><?do?>",
                "Grüße, 世界 \uD83D\uDE80"
            })
    void encode_uniformStyle_isRestored(String content) {
        assertRestored("<r>" + content + BULK + "</r>");
    }

    @Test
    void encode_xmlByAnyType_isAccepted() {
        for (String type : new String[] {"text/xml", "application/xml", "Application/Atom+XML; charset=utf-8"}) {
            MessageElement element = Samples.textElement(BULK).withType(type);
            assertThat(encoding.accepts(element)).as(type).isTrue();
            assertRestored(element);
        }
        for (String type :
                new String[] {"text/plain", "application/octet-stream", "application/fastinfoset", "text/xmlx"}) {
            assertThat(encoding.accepts(Samples.textElement(BULK).withType(type)))
                    .as(type)
                    .isFalse();
        }
    }

    // -- texts that are not encoded

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "<>",
                "<?xml version=\"1.0\"?>",
                "<!-- only a comment, if a long one -->",
                "no xml at all, but long enough to be one, is it not?",
                "BULK no more",
                "BULK BULK",
                "BULK<!-- -- -->",
                "<a>BULK",
                "<a>BULK</b>",
                "<!DOCTYPE r [<!ENTITY e 'x'>]><r>&e;BULK</r>",
                "<!DOCTYPE r SYSTEM 'file:///etc/passwd'>BULK",
                "<!-- --><!DOCTYPE r>BULK",
                "<r>&undeclared;BULK</r>",
                "<p:r>BULK</p:r>",
                "<r>\u0001BULK</r>",
            })
    void encode_malformedOrWithDoctype_isNotEncoded(String document) {
        assertThat(encoding.encode(Samples.textElement(document.replace("BULK", BULK))))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<a/><a></a>",
                "<a b='1' c=\"2\"/>",
                "<a b=\"1\"  c=\"2\"/>",
                "<a b = \"1\"/>",
                "<a >x</a>",
                "<a>x</a >",
                "&#65;",
                "&apos;",
                "1 > 2 &gt; 3",
                "one\r\ntwo\nthree",
                "<![CDATA[]]>",
                "<a b=\"1\" xmlns:p=\"urn:p\"/>",
                "<a b=\"one\ntwo\"/>",
            })
    void encode_mixedStyle_isNotEncoded(String content) {
        MessageElement element = Samples.textElement("<r>" + content + BULK + "</r>");
        assertThat(encoding.accepts(element)).isTrue();
        assertThat(encoding.encode(element)).isEmpty();
    }

    @Test
    void encode_otherCharsetThanUtf8_isNotEncoded() {
        String document = "<r>é" + BULK + "</r>";
        for (String charset : new String[] {"ISO-8859-1", "UTF-16", "UTF-16LE"}) {
            MessageElement element = MessageElement.of(
                            "n", document.getBytes(java.nio.charset.Charset.forName(charset)))
                    .withType("text/xml;charset=" + charset);
            assertThat(encoding.encode(element)).as(charset).isEmpty();
        }
    }

    @Test
    void encode_notSmaller_isNotEncoded() {
        assertThat(encoding.encode(Samples.textElement("<a/>"))).isEmpty();
    }

    @Test
    void encode_overTheLimits_isNotEncoded() {
        FastInfosetEncodingScheme strict = new FastInfosetEncodingScheme(
                XmlLimits.DEFAULTS.toBuilder().maxDepth(2).build());
        assertThat(strict.encode(Samples.textElement(BULK))).isPresent();
        assertThat(strict.encode(Samples.textElement("<r>" + BULK + "</r>"))).isEmpty();
        FastInfosetEncodingScheme small = new FastInfosetEncodingScheme(
                XmlLimits.DEFAULTS.toBuilder().maxBytes(BULK.length() - 1).build());
        assertThat(small.accepts(Samples.textElement(BULK))).isFalse();
    }

    @Test
    void message_withSeveralStyles_isRestoredByAnotherPeer() throws Exception {
        Message message = Message.builder()
                .add(Samples.textElement(Samples.employees(50)))
                .add(Samples.textElement(Samples.ALL_KINDS))
                .add(Samples.textElement("<a>").withNamespace("broken"))
                .add("text", "plain")
                .build();
        assertThat(encoding.encode(message.elements().get(0))).isPresent();
        assertThat(encoding.encode(message.elements().get(2))).isEmpty();
        ServiceAddress service = ServiceAddress.of("service");
        BlockingQueue<Message> received = new LinkedBlockingQueue<>();
        InMemoryNetwork network = new InMemoryNetwork(2);
        try (Endpoint alice = start(network);
                Endpoint bob = start(network)) {
            alice.listen(service, ServiceOptions.DEFAULTS.withDecoding(EncodingScheme.installed()), next -> {
                received.add(next.message());
                next.release();
            });
            bob.addPeerAddress(alice.peerAddress());
            EncodingPolicy policy = EncodingPolicy.of(encoding).withRequiredSchemes();
            Messenger messenger =
                    bob.messenger(alice.peerId(), service, MessengerOptions.DEFAULTS.withEncoding(policy));
            Eventually.get(messenger.send(message), "sending");
            assertThat(received.poll(Eventually.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(message);
            assertThat(alice.metrics().get(EndpointMetrics.Counter.MESSAGE_BYTES_RECEIVED))
                    .isLessThan(message.payloadBytes());
        }
    }

    private static Endpoint start(InMemoryNetwork network) {
        return Endpoint.builder()
                .identity(Identity.generate())
                .transport(network.transportProvider())
                .listen(EndpointAddress.parse("mem://any"))
                .start();
    }

    // -- hostile input

    @Test
    void decode_wrongLengths_areMalformed() {
        byte[] encoded =
                encoding.encode(Samples.textElement(BULK)).orElseThrow().toByteArray();
        // The style, the length of the text in two bytes, no prologue, no epilogue.
        assertThat(encoded).startsWith(0, (byte) (BULK.length() | 0x80), BULK.length() >> 7, 0, 0, 0xE0, 0, 0, 1);
        assertMalformed(with(encoded, 0, 3), "style");
        assertMalformed(with(encoded, 0, 0x20), "style");
        assertMalformed(with(encoded, 0, 0x80), "style");
        assertMalformed(with(encoded, 1, (encoded[1] & 0xFF) - 1), "text over its size");
        assertMalformed(with(encoded, 1, (encoded[1] & 0xFF) + 1), "from its header");
        assertMalformed(with(encoded, 3, 0x7F), "length: 127");
        assertMalformed(new byte[] {0, -1, -1, -1, -1, -1, -1}, "length");
        assertMalformed(new byte[] {0, 5, 1}, "length");
    }

    /** The parser expands such values 48 times before the size of the text in the header could bound them. */
    @ParameterizedTest
    @ValueSource(strings = {"3c0061 8c17", "7c0061 780062 305c"})
    void decode_valuesOfAnEncodingAlgorithm_areRefusedBeforeTheyAreExpanded(String start) {
        byte[] head = HexFormat.of().parseHex("00e8070000 e000000100".replace(" ", "") + start.replace(" ", ""));
        int octets = (int) (XmlLimits.DEFAULTS.maxCharacters() / 48);
        ByteBuffer encoded = ByteBuffer.allocate(head.length + 4 + octets + 2)
                .put(head)
                .putInt(octets - (start.startsWith("3c") ? 259 : 265))
                .position(head.length + 4 + octets)
                .putShort((short) 0xF0FF);
        MessageElement element = Samples.textElement("").withPayload(Payload.of(encoded.array()));
        long before = allocatedBytes();
        assertThatThrownBy(() -> encoding.decode(element, 1024))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED));
        assertThat(allocatedBytes() - before).isLessThan(8 << 20);
    }

    /** The values of all attributes are expanded before the element is written. */
    @Test
    void decode_repeatedValues_areRefusedBeforeTheTextIsWritten() {
        String value = "x".repeat(30);
        StringBuilder text = new StringBuilder("<r");
        for (int i = 0; i < 200; i++) {
            text.append(" a").append(i).append("='").append(value).append('\'');
        }
        byte[] document = Samples.fastInfoset(text + "/>");
        ByteBuffer encoded = ByteBuffer.allocate(5 + document.length)
                .put(new byte[] {0, (byte) (4000 | 0x80), (byte) (4000 >> 7), 0, 0})
                .put(document);
        MessageElement element = Samples.textElement("").withPayload(Payload.of(encoded.array()));
        assertThat(element.size()).isLessThan(4000);
        assertThatThrownBy(() -> encoding.decode(element, 4000))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining("maxCharacters 4000");
    }

    private static long allocatedBytes() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
                .getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private void assertMalformed(byte[] encoded, String fault) {
        MessageElement element = Samples.textElement("").withPayload(Payload.of(encoded));
        assertThatThrownBy(() -> encoding.decode(element, 1 << 20))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                .hasMessageContaining(fault);
    }

    private static byte[] with(byte[] bytes, int at, int value) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) value;
        return changed;
    }

    private void assertRestored(String document) {
        assertRestored(Samples.textElement(document));
    }

    private void assertRestored(MessageElement element) {
        Payload encoded = encoding.encode(element)
                .orElseThrow(() ->
                        new AssertionError("not encoded: " + element.payload().text(StandardCharsets.UTF_8)));
        assertThat(encoded.size()).isLessThan(element.size());
        assertThat(encoding.decode(element.withPayload(encoded), element.size()))
                .isEqualTo(element.payload());
    }
}
