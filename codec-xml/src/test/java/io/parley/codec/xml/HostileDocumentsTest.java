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
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Documents that were made to hurt: each is refused by its fault, and none takes more memory than its reader allows. */
final class HostileDocumentsTest {
    private static final String ELEMENT = "<Message version='0'><Element name='a' mime_type='text/plain'>";
    private static final int LARGE = 8 << 20;
    /** What one decoding may allocate in all: the buffers of a parser, and the longest piece of markup a few times. */
    private static final long FEW_BYTES = 2 << 20;

    private final CodecSession session = Documents.session(MessageLimits.DEFAULTS);

    // -- entities and external things

    @Test
    void read_externalEntityOfAFile_isRefused(@TempDir Path directory) throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), "the secret");
        Throwable refusal = assertRefused(
                ErrorCode.MALFORMED_MESSAGE,
                "<!DOCTYPE Message [<!ENTITY x SYSTEM '" + secret.toUri() + "'>]>" + ELEMENT
                        + "&x;</Element></Message>");
        assertThat(refusal).hasMessageContaining("internal subset");
        assertThat(refusal.getMessage()).doesNotContain("the secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<!DOCTYPE Message SYSTEM 'http://HOST/a.dtd'><Message version='0'/>",
                "<!DOCTYPE Message PUBLIC 'x' 'http://HOST/a.dtd'><Message version='0'/>",
                "<!DOCTYPE Message [<!ENTITY % x SYSTEM 'http://HOST/a'> %x;]><Message version='0'/>",
                "<!DOCTYPE Message [<!ENTITY x SYSTEM 'http://HOST/a'>]><Message version='0'>&x;</Message>"
            })
    void read_externalThings_areNeverFetched(String document) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String host = server.getInetAddress().getHostAddress() + ":" + server.getLocalPort();
            assertRefused(ErrorCode.MALFORMED_MESSAGE, document.replace("HOST", host));
            // Decoding happened in this thread: who had connected would be waiting now.
            server.setSoTimeout(1);
            assertThat(catchThrowable(server::accept)).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void read_billionLaughs_isRefused() {
        StringBuilder document = new StringBuilder("<!DOCTYPE Message [<!ENTITY l0 'ha'>");
        for (int i = 1; i < 30; i++) {
            document.append("<!ENTITY l")
                    .append(i)
                    .append(" '")
                    .append(("&l" + (i - 1) + ";").repeat(10))
                    .append("'>");
        }
        assertRefused(ErrorCode.MALFORMED_MESSAGE, document + "]>" + ELEMENT + "&l29;</Element></Message>");
    }

    @Test
    void read_quadraticBlowUp_isRefused() {
        String document = "<!DOCTYPE Message [<!ENTITY a '" + "a".repeat(50_000) + "'>]>" + ELEMENT
                + "&a;".repeat(50_000) + "</Element></Message>";
        assertRefused(ErrorCode.MALFORMED_MESSAGE, document);
    }

    // -- sizes

    @Test
    void read_deepNesting_isRefusedAtTheFirstLevelTooMany() {
        Throwable refusal = assertRefused(ErrorCode.MALFORMED_MESSAGE, ELEMENT + "<a>".repeat(LARGE / 3));
        assertThat(refusal).hasMessageContaining("element 'a' inside Element");
    }

    @Test
    void read_hugeMarkup_isOverTheLimitBeforeItIsRead() {
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
            assertThat(assertRefused(ErrorCode.LIMIT_EXCEEDED, document)).hasMessageContaining("markupBytes");
        }
    }

    @Test
    void read_hugeXmlDeclaration_isRefused() {
        for (String document : new String[] {
            "<?xml version='" + "1".repeat(LARGE),
            "<?xml version='1.0' encoding='" + "x".repeat(LARGE),
            "<?xml " + " ".repeat(LARGE)
        }) {
            Throwable refusal = refusalOf(document.getBytes(StandardCharsets.UTF_8));
            assertThat(((PeerFaultException) refusal).code())
                    .isIn(ErrorCode.LIMIT_EXCEEDED, ErrorCode.MALFORMED_MESSAGE);
        }
    }

    @Test
    void read_manyAttributes_areOverTheLimit() {
        StringBuilder attributes = new StringBuilder("<Message version='0'");
        for (int i = 0; i < 1000; i++) {
            attributes.append(" a").append(i).append("=''");
        }
        assertThat(assertRefused(ErrorCode.LIMIT_EXCEEDED, attributes + "/>")).hasMessageContaining("maxAttributes 64");
    }

    @Test
    void read_longName_isOverTheLimit() {
        String name = "x".repeat(4097);
        assertThat(assertRefused(
                        ErrorCode.LIMIT_EXCEEDED, "<Message version='0'><Element name='" + name + "'/></Message>"))
                .hasMessageContaining("maxNameBytes 4096");
    }

    @Test
    void read_longestNames_areTaken() {
        String reference = "&#x26;";
        String document = "<Message version='0'><Element name='" + reference.repeat(4096) + ":" + reference.repeat(4096)
                + "' mime_type='text/" + reference.repeat(4091) + "'/></Message>";
        assertThat(Documents.decode(document))
                .isEqualTo(Message.of(MessageElement.of("&".repeat(4096), new byte[0])
                        .withNamespace("&".repeat(4096))
                        .withType("text/" + "&".repeat(4091))));
    }

    @Test
    void read_endlessContent_stopsAtTheLimit() {
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
    void read_endlessWhiteSpace_isReadWithoutCollectingIt() {
        for (String document : new String[] {
            "<Message version='0'>" + " ".repeat(LARGE),
            "<Message version='0'><Element name='a' encoding='base64'>" + "\n".repeat(LARGE)
        }) {
            assertRefused(ErrorCode.MALFORMED_MESSAGE, document); // it ends too early
        }
    }

    /** The parser uses its buffers again: those that had grown made it collect more at a time than it gets. */
    @Test
    void read_longTextAfterLongMarkup_isTaken() {
        String markup = "<Message version='0'><!--" + "x".repeat(60_000) + "--><Element name='" + "x".repeat(4096)
                + "' unknown='" + "y".repeat(60_000) + "'/></Message>";
        String text = "x&#x1F680;<![CDATA[é]]>\n";
        for (int i = 0; i < 3; i++) {
            session.decode(Unpooled.wrappedBuffer(markup.getBytes(StandardCharsets.UTF_8)));
            for (String piece :
                    new String[] {"x", "é\n", "&lt;", "<![CDATA[" + "y".repeat(300_000) + "]]>\r\n", text}) {
                String document = ELEMENT + piece.repeat(LARGE / 8 / piece.length() + 1) + "</Element></Message>";
                assertThat(session.decode(Unpooled.wrappedBuffer(document.getBytes(StandardCharsets.UTF_8)))
                                .elements()
                                .get(0)
                                .text())
                        .isEqualTo(piece.replace("<![CDATA[", "")
                                .replace("]]>", "")
                                .replace("&#x1F680;", "\uD83D\uDE80")
                                .replace("&lt;", "<")
                                .replace("\r\n", "\n")
                                .repeat(LARGE / 8 / piece.length() + 1));
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

    /** The parser's table of names is shared by all documents of a session. */
    @Test
    void read_manyDocumentsOfNewNames_leavesNothingBehind() {
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
        // A table that had grown would be copied by the first new name of a document.
        assertThat(allocatedFor("<Message version='0' one=''/>")).isLessThan(first + 20_000);
    }

    // -- bytes

    @ParameterizedTest
    @ValueSource(strings = {"ff", "c080", "eda080", "f4908080", "e282", "80", "00", "01", "efbfbe"})
    void read_bytesThatAreNoXml_areMalformed(String hex) {
        byte[] bad = HexFormat.of().parseHex(hex);
        for (String before :
                new String[] {"", "<Message version='0'>", ELEMENT, "<Message version='0'><Element name='"}) {
            byte[] start = before.getBytes(StandardCharsets.UTF_8);
            byte[] document = new byte[start.length + bad.length + 20];
            java.util.Arrays.fill(document, (byte) 'x');
            System.arraycopy(start, 0, document, 0, start.length);
            System.arraycopy(bad, 0, document, start.length, bad.length);
            assertThat(((PeerFaultException) refusalOf(document)).code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE);
        }
    }

    /** More and cleverer ones are the business of {@link XmlMessageFuzzTest}. */
    @Test
    void read_mutations_neverThrowAnythingElse() {
        long seed = Long.getLong("parley.test.seed", 20_07);
        System.out.println("HostileDocumentsTest mutations: -Dparley.test.seed=" + seed);
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
                    // as it should be
                } catch (RuntimeException | Error e) {
                    throw new AssertionError(
                            "seed " + seed + ": " + HexFormat.of().formatHex(mutated), e);
                }
            }
        }
        assertThat(decoded).isBetween(100, 4_900);
    }

    private Throwable assertRefused(ErrorCode code, String document) {
        Throwable refusal = refusalOf(document.getBytes(StandardCharsets.UTF_8));
        assertThat(((PeerFaultException) refusal).code()).isEqualTo(code);
        return refusal;
    }

    private Throwable refusalOf(byte[] document) {
        return assertAllocatesLittle(() -> session.decode(Unpooled.wrappedBuffer(document)));
    }

    private static Throwable assertAllocatesLittle(Runnable decoding) {
        catchThrowable(decoding::run); // loads classes
        long before = allocated();
        Throwable thrown = catchThrowable(decoding::run);
        long taken = allocated() - before;
        assertThat(thrown).isInstanceOf(PeerFaultException.class);
        assertThat(thrown.getMessage().length()).isLessThan(500);
        assertThat(taken).as("allocated bytes").isLessThan(FEW_BYTES);
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
