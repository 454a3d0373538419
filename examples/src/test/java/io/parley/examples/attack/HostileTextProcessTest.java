package io.parley.examples.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.examples.attack.AttackClient.Greeting;
import io.parley.testkit.Eventually;
import io.parley.testkit.LoopbackNetwork;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Text of attackers in the complete log of a peer: it has no character that a terminal obeys or that changes the direction. */
@Tag("process")
@Timeout(60)
class HostileTextProcessTest {

    /** Escape codes of a terminal, C1, bidi, a line separator, and an invented line. */
    private static final String EVIL =
            "evil\u001b[2J\u001b]0;x\u0007\u009b31m\u202e\u2066\u200f\u2028\u0085\r\n12:00 WARN x";

    @Test
    void text_inCertificatesAndFrames_isEscapedInTheLog(@TempDir Path directory) throws Exception {
        LoopbackNetwork.assumeAvailable();
        try (AttackedPeer attacked = AttackedPeer.start(directory, "-Dparley.log=DEBUG");
                AttackNet net = new AttackNet(attacked.socketAddress())) {
            assertThat(CertificateClient.withNames(EVIL, "x").isRefused("127.1.0.1", net.target()))
                    .isTrue();
            assertThat(CertificateClient.withNames("x", EVIL).isRefused("127.1.0.1", net.target()))
                    .isTrue();
            assertThat(net.connect(1, i -> "127.1.0.1", new Greeting(1, List.of(EVIL), List.of())))
                    .isEmpty();

            AttackClient client = net.connect("127.1.0.1");
            client.open(1, new ServiceAddress(EVIL, EVIL), "binary");
            client.open(2, AttackedPeerProcess.UNREAD, EVIL);
            client.open(3, ResolverQueries.OVERLAY, "binary");
            ResolverQueries.send(client, 3, EVIL);
            ResolverQueries.send(client, 3, "find" + EVIL);
            ResolverQueries.send(client, 3, "publish", ResolverQueries.bytes("parley.rendezvous", EVIL, new byte[1]));
            ResolverQueries.send(
                    client,
                    3,
                    "publish",
                    ResolverQueries.bytes("parley.rendezvous", "Doc", EVIL.getBytes(StandardCharsets.UTF_8)));
            client.awaitProcessed();
            client.send(frames -> frames.goodbye(WireStatus.of(ErrorCode.LIMIT_EXCEEDED, EVIL)));
            AttackClient quoted = net.connect("127.1.0.2");
            quoted.send(frames -> codecOf(EVIL));
            List.of(client, quoted).forEach(each -> Eventually.until(() -> "still open", () -> !each.isOpen()));

            AttackClient last = net.connect("127.1.0.3");
            last.awaitProcessed();
            assertThat(attacked.log()).contains("evil\\u001b[2J");
            assertThat(attacked.log()
                            .codePoints()
                            .filter(HostileTextProcessTest::isHarmful)
                            .toArray())
                    .isEmpty();
            assertThat(attacked.log().lines()).noneMatch(line -> line.startsWith("12:00 WARN"));
        }
    }

    /** Returns a message of the codec XML in a frame for a handle that is not open, which the error may quote. */
    private static ByteBuf codecOf(String text) {
        return Unpooled.copiedBuffer("\u0020\u0001<" + text, StandardCharsets.UTF_8);
    }

    private static boolean isHarmful(int c) {
        int type = Character.getType(c);
        return c != '\n' && c != '\t' && type == Character.CONTROL
                || type == Character.FORMAT
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR
                || type == Character.SURROGATE;
    }
}
