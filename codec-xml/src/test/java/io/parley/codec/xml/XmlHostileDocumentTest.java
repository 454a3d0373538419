package io.parley.codec.xml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.ByteMutator;
import io.parley.testkit.codec.MessageGenerator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests malicious documents. Each must be rejected with its fault, and none may take more memory than its reader
 * allows.
 */
final class XmlHostileDocumentTest {
    private static final String ELEMENT = "<Message version='0'><Element name='a' mime_type='text/plain'>";
    private static final int LARGE = 8 << 20;
    /**
     * The maximum allocation of one decoder call in bytes: the parser buffers and some copies of the longest markup.
     */
    private static final long MAX_ALLOCATED_BYTES = 2 << 20;

    private final CodecSession session = Documents.session(MessageLimits.DEFAULTS);

    // -- entities and external resources

    @Test
    void read_externalEntityOfAFile_isRejected(@TempDir Path directory) throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), "the secret");
        Throwable failure = assertRejected(
                ErrorCode.MALFORMED_MESSAGE,
                "<!DOCTYPE Message [<!ENTITY x SYSTEM '" + secret.toUri() + "'>]>" + ELEMENT
                        + "&x;</Element></Message>");
        assertThat(failure).hasMessageContaining("internal subset");
        assertThat(failure.getMessage()).doesNotContain("the secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<!DOCTYPE Message SYSTEM 'http://HOST/a.dtd'><Message version='0'/>",
                "<!DOCTYPE Message PUBLIC 'x' 'http://HOST/a.dtd'><Message version='0'/>",
                "<!DOCTYPE Message [<!ENTITY % x SYSTEM 'http://HOST/a'> %x;]><Message version='0'/>",
                "<!DOCTYPE Message [<!ENTITY x SYSTEM 'http://HOST/a'>]><Message version='0'>&x;</Message>"
            })
    void read_externalResources_areNotLoaded(String document) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String host = server.getInetAddress().getHostAddress() + ":" + server.getLocalPort();
            assertRejected(ErrorCode.MALFORMED_MESSAGE, document.replace("HOST", host));
            // The decoder runs on this thread, so a connection of it would be in the backlog now.
            server.setSoTimeout(1);
            assertThat(catchThrowable(server::accept)).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void read_billionLaughs_isRejected() {
        StringBuilder document = new StringBuilder("<!DOCTYPE Message [<!ENTITY l0 'ha'>");
        for (int i = 1; i < 30; i++) {
            document.append("<!ENTITY l")
                    .append(i)
                    .append(" '")
                    .append(("&l" + (i - 1) + ";").repeat(10))
                    .append("'>");
        }
        assertRejected(ErrorCode.MALFORMED_MESSAGE, document + "]>" + ELEMENT + "&l29;</Element></Message>");
    }

    @Test
    void read_quadraticBlowUp_isRejected() {
        String document = "<!DOCTYPE Message [<!ENTITY a '" + "a".repeat(50_000) + "'>]>" + ELEMENT
                + "&a;".repeat(50_000) + "</Element></Message>";
        assertRejected(ErrorCode.MALFORMED_MESSAGE, document);
    }

    // -- names

    /** The time of the parser grows with the square of the number of names that have one hash. */
    @Test
    void read_manyNames_areRejected() {
        StringBuilder attributes = new StringBuilder("<Message version='0'>");
        for (int i = 0; i < 20; i++) {
            attributes.append("<Element name='a' mime_type='text/plain'");
            for (int j = 0; j < 60; j++) {
                attributes.append(" n").append(60 * i + j).append("=''");
            }
            attributes.append("/>");
        }
        assertThat(assertRejected(ErrorCode.LIMIT_EXCEEDED, attributes + "</Message>"))
                .hasMessageContaining("distinct names");
        StringBuilder instructions = new StringBuilder("<Message version='0'>");
        for (int i = 0; i < 1100; i++) {
            instructions.append("<?n").append(i).append("?>");
        }
        assertThat(assertRejected(ErrorCode.LIMIT_EXCEEDED, instructions + "</Message>"))
                .hasMessageContaining("distinct names");
    }

    // -- sizes

    @Test
    void read_deepNesting_isRejectedAtTheFirstNestedElement() {
        Throwable failure = assertRejected(ErrorCode.MALFORMED_MESSAGE, ELEMENT + "<a>".repeat(LARGE / 3));
        assertThat(failure).hasMessageContaining("element 'a' in Element");
    }

    @Test
    void read_hugeMarkup_isRejectedBeforeItIsRead() {
        String large = "x".repeat(LARGE);
        for (String document : new String[] {
            "<Message version='" + large,
            "<Message " + large,
            "<" + large,
            "<Message version='0'><Element name='" + large,
            "<Message version='0'><Element name='a' " + large,
            "<Message version='0'><Element name='a' unknown='" + large,
            "<Message version='0'><" + large,
            "<Message version='0'><!-- " + large,
            "<Message version='0'><?" + large,
            "<Message version='0'><?x " + large,
            "<Message version='0'>&" + large,
            ELEMENT + "</Element " + " ".repeat(LARGE),
            "<!DOCTYPE " + large,
            "<!DOCTYPE Message [" + " ".repeat(LARGE),
            "<!DOCTYPE Message [<!ENTITY a '" + large,
            "<!DOCTYPE Message SYSTEM '" + large,
            " ".repeat(LARGE),
            "<Message version='0'/>" + " ".repeat(LARGE)
        }) {
            assertThat(assertRejected(ErrorCode.LIMIT_EXCEEDED, document)).hasMessageContaining("markupBytes");
        }
    }

    @Test
    void read_hugeXmlDeclaration_isRejected() {
        for (String document : new String[] {
            "<?xml version='" + "1".repeat(LARGE),
            "<?xml version='1.0' encoding='" + "x".repeat(LARGE),
            "<?xml " + " ".repeat(LARGE)
        }) {
            Throwable failure = decodeFailure(document.getBytes(StandardCharsets.UTF_8));
            assertThat(((PeerFaultException) failure).code())
                    .isIn(ErrorCode.LIMIT_EXCEEDED, ErrorCode.MALFORMED_MESSAGE);
        }
    }

    @Test
    void read_manyAttributes_areOverTheLimit() {
        StringBuilder attributes = new StringBuilder("<Message version='0'");
        for (int i = 0; i < 1000; i++) {
            attributes.append(" a").append(i).append("=''");
        }
        assertThat(assertRejected(ErrorCode.LIMIT_EXCEEDED, attributes + "/>"))
                .hasMessageContaining("maxAttributes 64");
    }

    @Test
    void read_longName_isOverTheLimit() {
        String name = "x".repeat(4097);
        assertThat(assertRejected(
                        ErrorCode.LIMIT_EXCEEDED, "<Message version='0'><Element name='" + name + "'/></Message>"))
                .hasMessageContaining("maxNameBytes 4096");
    }

    @Test
    void read_longestNames_areAccepted() {
        String reference = "&#x26;";
        String document = "<Message version='0'><Element name='" + reference.repeat(4096) + ":" + reference.repeat(4096)
                + "' mime_type='text/" + reference.repeat(4091) + "'/></Message>";
        assertThat(Documents.decode(document))
                .isEqualTo(Message.of(MessageElement.of("&".repeat(4096), new byte[0])
                        .withNamespace("&".repeat(4096))
                        .withType("text/" + "&".repeat(4091))));
    }

    @Test
    void read_unendingContent_stopsAtTheLimit() {
        CodecSession narrow = Documents.session(
                MessageLimits.DEFAULTS.toBuilder().maxElementBytes(1000).build());
        for (String document : new String[] {
            ELEMENT + "x".repeat(LARGE),
            ELEMENT + "<![CDATA[" + "x".repeat(LARGE),
            ELEMENT + "&#65;".repeat(LARGE / 5),
            ELEMENT + "é".repeat(LARGE / 2),
            "<Message version='0'><Element name='a' mime_type='a/b;charset=UTF-16'>" + "x".repeat(LARGE),
            "<Message version='0'><Element name='a' encoding='base64'>" + "x".repeat(LARGE)
        }) {
            ByteBuf input = Unpooled.wrappedBuffer(document.getBytes(StandardCharsets.UTF_8));
            Throwable thrown = assertAllocatesLittle(() -> narrow.decode(input));
            assertThat(thrown)
                    .isInstanceOfSatisfying(
                            PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                    .hasMessageContaining("maxElementBytes 1000");
        }
    }

    @Test
    void read_unendingWhiteSpace_isNotBuffered() {
        for (String document : new String[] {
            "<Message version='0'>" + " ".repeat(LARGE),
            "<Message version='0'><Element name='a' encoding='base64'>" + "\n".repeat(LARGE)
        }) {
            assertRejected(ErrorCode.MALFORMED_MESSAGE, document); // the document is incomplete
        }
    }

    /** The parser reuses its buffers. Buffers that had grown made it request more bytes at a time than the budget. */
    @Test
    void read_longTextAfterLongMarkup_isAccepted() {
        String markup = "<Message version='0'><!--" + "x".repeat(60_000) + "--><Element name='" + "x".repeat(4096)
                + "' unknown='" + "y".repeat(60_000) + "'/></Message>";
        String text = "x&#x1F680;<![CDATA[é]]>\n";
        for (int i = 0; i < 3; i++) {
            session.decode(Unpooled.wrappedBuffer(markup.getBytes(StandardCharsets.UTF_8)));
            for (String part : new String[] {"x", "é\n", "&lt;", "<![CDATA[" + "y".repeat(300_000) + "]]>\r\n", text}) {
                String document = ELEMENT + part.repeat(LARGE / 8 / part.length() + 1) + "</Element></Message>";
                assertThat(session.decode(Unpooled.wrappedBuffer(document.getBytes(StandardCharsets.UTF_8)))
                                .elements()
                                .get(0)
                                .text())
                        .isEqualTo(part.replace("<![CDATA[", "")
                                .replace("]]>", "")
                                .replace("&#x1F680;", "\uD83D\uDE80")
                                .replace("&lt;", "<")
                                .replace("\r\n", "\n")
                                .repeat(LARGE / 8 / part.length() + 1));
            }
        }
    }

    @Test
    void read_manyElements_stopsAtTheLimit() {
        CodecSession narrow = Documents.session(
                MessageLimits.DEFAULTS.toBuilder().maxElements(10).build());
        ByteBuf input = Unpooled.wrappedBuffer(
                ("<Message version='0'>" + "<Element name=''/>".repeat(LARGE / 18)).getBytes(StandardCharsets.UTF_8));
        Throwable thrown = assertAllocatesLittle(() -> narrow.decode(input));
        assertThat(thrown).hasMessageContaining("maxElements 10");
    }

    /** The symbol table of the parser is shared by all documents of a session. */
    @Test
    void read_manyDocumentsOfNewNames_retainsNoSymbols() {
        int round = 40;
        long first = 0;
        for (int i = 0; i < 10 * round; i++) {
            if (i == round) {
                first = allocatedFor("<Message version='0'/>");
            }
            StringBuilder document = new StringBuilder("<Message version='0'");
            for (int k = 0; k < 60; k++) {
                document.append(" attribute").append(i).append('.').append(k).append("=''");
            }
            assertThat(session.decode(Unpooled.wrappedBuffer((document + "/>").getBytes(StandardCharsets.UTF_8))))
                    .isEqualTo(Message.EMPTY);
        }
        // The first new name of a document copies the shared table, which would be large if it had grown.
        assertThat(allocatedFor("<Message version='0' one=''/>")).isLessThan(first + 20_000);
    }

    // -- bytes

    @ParameterizedTest
    @ValueSource(strings = {"ff", "c080", "eda080", "f4908080", "e282", "80", "00", "01", "efbfbe"})
    void read_invalidBytes_areMalformed(String hex) {
        byte[] invalid = HexFormat.of().parseHex(hex);
        for (String prefix :
                new String[] {"", "<Message version='0'>", ELEMENT, "<Message version='0'><Element name='"}) {
            byte[] start = prefix.getBytes(StandardCharsets.UTF_8);
            byte[] document = new byte[start.length + invalid.length + 20];
            Arrays.fill(document, (byte) 'x');
            System.arraycopy(start, 0, document, 0, start.length);
            System.arraycopy(invalid, 0, document, start.length, invalid.length);
            assertThat(((PeerFaultException) decodeFailure(document)).code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE);
        }
    }

    /** A peer with little memory has no room for two arrays of a large element, between which its content is copied. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {"encoding='base64', QUJD, 3", "mime_type='text/plain', text, 4"})
    void read_largeElement_allocatesItsContentOnce(String attribute, String group, int groupBytes) {
        int groups = 2_500_000;
        String document = "<Message version='0'><Element name='a' " + attribute + ">" + group.repeat(groups)
                + "</Element></Message>";
        allocatedFor(document); // loads classes
        assertThat(allocatedFor(document)).isLessThan((long) groups * groupBytes + 4 * 1024 * 1024);
    }

    /** {@link XmlMessageFuzzTest} tests more inputs, guided by coverage. */
    @Test
    void read_mutations_throwOnlyPeerFaults() {
        long seed = TestSeed.next("XmlHostileDocumentTest, mutations");
        MessageGenerator messages = new MessageGenerator(seed, false);
        ByteMutator mutator = new ByteMutator(seed);
        int decoded = 0;
        for (int i = 0; i < 50; i++) {
            byte[] document = Documents.bytes(messages.next(3));
            for (int k = 0; k < 100; k++) {
                byte[] mutated = mutator.mutate(document);
                try {
                    Message message = session.decode(Unpooled.wrappedBuffer(mutated));
                    decoded++;
                    ByteBuf again = session.encode(message, UnpooledByteBufAllocator.DEFAULT);
                    assertThat(session.decode(again)).isEqualTo(message);
                    again.release();
                } catch (PeerFaultException e) {
                    // the permitted exception
                } catch (RuntimeException | Error e) {
                    throw new AssertionError(
                            "seed " + seed + ": " + HexFormat.of().formatHex(mutated), e);
                }
            }
        }
        assertThat(decoded).isBetween(100, 4_900);
    }

    private Throwable assertRejected(ErrorCode code, String document) {
        Throwable failure = decodeFailure(document.getBytes(StandardCharsets.UTF_8));
        assertThat(((PeerFaultException) failure).code()).isEqualTo(code);
        return failure;
    }

    private Throwable decodeFailure(byte[] document) {
        return assertAllocatesLittle(() -> session.decode(Unpooled.wrappedBuffer(document)));
    }

    private static Throwable assertAllocatesLittle(Runnable decoderCall) {
        catchThrowable(decoderCall::run); // loads classes
        long before = allocated();
        Throwable thrown = catchThrowable(decoderCall::run);
        long allocated = allocated() - before;
        assertThat(thrown).isInstanceOf(PeerFaultException.class);
        assertThat(thrown.getMessage().length()).isLessThan(500);
        assertThat(allocated).as("allocated bytes").isLessThan(MAX_ALLOCATED_BYTES);
        return thrown;
    }

    private long allocatedFor(String document) {
        ByteBuf input = Unpooled.wrappedBuffer(document.getBytes(StandardCharsets.UTF_8));
        long before = allocated();
        session.decode(input);
        return allocated() - before;
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
                .getThreadAllocatedBytes(Thread.currentThread().getId());
    }
}
