package io.parley.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.endpoint.EndpointMetrics;
import io.parley.endpoint.Limits;
import io.parley.endpoint.PeerAddress;
import io.parley.endpoint.Security;
import io.parley.endpoint.TransportContext;
import io.parley.identity.Identity;
import io.parley.testkit.ManualClock;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds the datagrams to the vector in {@code docs/wire-format.md}, and the document to what is sent. */
final class WireFormatDocumentTest {
    /** Hex digits that are followed by one blank or end a line; what comes after two blanks is a remark. */
    private static final Pattern FIELDS = Pattern.compile("(?m)^ *((?:[0-9a-f]+ )*[0-9a-f]+)(?:  .*)?$");

    private static final long TIME_MILLIS = 1_795_262_400_000L;
    private static final long NUMBER = 0x0102030405060708L;

    private final TestSender sender = new TestSender(TestSender.wellKnown(), NUMBER);

    @Test
    void vector_isWhatIsSent() throws IOException {
        List<byte[]> datagrams = sender.message(9701, TIME_MILLIS, "hello".getBytes(StandardCharsets.UTF_8));
        assertThat(datagrams).singleElement().extracting(ByteBufUtil::hexDump).isEqualTo(vector());
    }

    @Test
    void vector_isHeard() throws IOException {
        List<PeerAddress> senders = new ArrayList<>();
        List<String> payloads = new ArrayList<>();
        TransportContext context = new TransportContext(
                Identity.generate(),
                Security.TLS,
                Limits.DEFAULTS,
                new EndpointMetrics(),
                new ManualClock(Instant.ofEpochMilli(TIME_MILLIS)));
        Receiver receiver = new Receiver(context, UdpSettings.DEFAULTS, source -> true, () -> 0, (from, payload) -> {
            senders.add(from);
            payloads.add(payload.toString(StandardCharsets.UTF_8));
        });
        receiver.receive(InetAddress.getLoopbackAddress(), Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(vector())));

        assertThat(payloads).containsExactly("hello");
        assertThat(senders).containsExactly(PeerAddress.of(sender.identity().peerId(), TestSender.ADDRESS));
    }

    private static String vector() throws IOException {
        Matcher block =
                Pattern.compile("```hex udp\\R(.*?)```", Pattern.DOTALL).matcher(Files.readString(findDocument()));
        assertThat(block.find()).as("the vector 'udp'").isTrue();
        StringBuilder hex = new StringBuilder();
        Matcher fields = FIELDS.matcher(block.group(1));
        while (fields.find()) {
            hex.append(fields.group(1).replace(" ", ""));
        }
        return hex.toString();
    }

    /** Tests run in the module's folder or in the project's, so the document is looked for upwards. */
    private static Path findDocument() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path document = folder.resolve("docs").resolve("wire-format.md");
            if (Files.exists(document)) {
                return document;
            }
        }
        throw new AssertionError("no docs/wire-format.md above " + Path.of("").toAbsolutePath());
    }
}
