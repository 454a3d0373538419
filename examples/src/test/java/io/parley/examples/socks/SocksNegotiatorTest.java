package io.parley.examples.socks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.identity.Identity;
import io.parley.sockets.ServiceHost;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SocksNegotiatorTest {

    private static final HexFormat HEX = HexFormat.of();
    private static final String METHOD = "0500";
    private static final String REST = "0001000000000000";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private static String hex(String text) {
        return HEX.formatHex(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String name(String host) {
        return "03" + HEX.toHexDigits((byte) host.length()) + hex(host);
    }

    private ServiceHost negotiate(String input) throws IOException {
        return new SocksNegotiator(new ByteArrayInputStream(HEX.parseHex(input)), out).negotiate();
    }

    private String output() {
        return HEX.formatHex(out.toByteArray());
    }

    @ParameterizedTest
    @CsvSource({"050100", "05020200", "0503010002"})
    void connectToAService_isAccepted(String greeting) throws IOException {
        ServiceHost host = negotiate(greeting + "050100" + name("Wiki.PARLEY") + "0050");

        assertThat(host).isEqualTo(ServiceHost.of("wiki"));
        assertThat(output()).isEqualTo(METHOD);
    }

    @Test
    void connectToAServiceOfAPeer_isAccepted_andNoByteOfTheConnectionIsRead() throws IOException {
        ServiceHost host = ServiceHost.of(Identity.generate().peerId(), "my.wiki");
        ByteArrayInputStream in = new ByteArrayInputStream(
                HEX.parseHex("050100" + "050100" + name(host.toString()) + "0000" + hex("GET /")));
        SocksNegotiator negotiator = new SocksNegotiator(in, out);

        assertThat(negotiator.negotiate()).isEqualTo(host);
        negotiator.reply(SocksReply.SUCCEEDED);

        assertThat(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1)).isEqualTo("GET /");
        assertThat(output()).isEqualTo(METHOD + "0500" + REST);
    }

    static Stream<Arguments> refused() {
        String ok = "050100";
        String wiki = name("wiki.parley") + "0050";
        return Stream.of(
                Arguments.of("", "", "ends early"),
                Arguments.of("05", "", "ends early"),
                Arguments.of("0502", "", "ends early"),
                Arguments.of("050201", "", "ends early"),
                Arguments.of("0401005001020304" + "00", "", "version 4"),
                Arguments.of(hex("GET / HTTP/1.1"), "", "version 71"),
                Arguments.of("0500", "05ff", "no authentication"),
                Arguments.of("050102", "05ff", "no authentication"),
                Arguments.of(ok, METHOD, "ends early"),
                Arguments.of(ok + "05", METHOD, "ends early"),
                Arguments.of(ok + "050100", METHOD, "ends early"),
                Arguments.of(ok + "05010003", METHOD, "ends early"),
                Arguments.of(ok + "0501000304" + hex("wik"), METHOD, "ends early"),
                Arguments.of(ok + "050100" + name("wiki.parley") + "00", METHOD, "ends early"),
                Arguments.of(ok + "040100" + wiki, METHOD + "0501" + REST, "version 4"),
                Arguments.of(ok + "050200" + wiki, METHOD + "0507" + REST, "command 2"),
                Arguments.of(ok + "050300" + wiki, METHOD + "0507" + REST, "command 3"),
                Arguments.of(ok + "05ff00" + wiki, METHOD + "0507" + REST, "command 255"),
                Arguments.of(ok + "050200" + "01" + "7f000001" + "0050", METHOD + "0507" + REST, "command 2"),
                Arguments.of(ok + "050100" + "01" + "7f000001" + "0050", METHOD + "0508" + REST, "IP address"),
                Arguments.of(ok + "050100" + "04" + "00".repeat(16) + "0050", METHOD + "0508" + REST, "IP address"),
                Arguments.of(ok + "050100" + "01" + "7f0000", METHOD, "ends early"),
                Arguments.of(ok + "050100" + "02" + "7f000001" + "0050", METHOD + "0508" + REST, "address type 2"),
                Arguments.of(ok + "050100" + "00", METHOD + "0508" + REST, "address type 0"),
                Arguments.of(ok + "050100" + name("example.org") + "0050", METHOD + "0502" + REST, "example.org"),
                Arguments.of(ok + "050100" + name("127.0.0.1") + "0050", METHOD + "0502" + REST, "127.0.0.1"),
                Arguments.of(ok + "050100" + name("parley") + "0050", METHOD + "0502" + REST, "parley"),
                Arguments.of(ok + "050100" + name(".parley") + "0050", METHOD + "0504" + REST, "expected"),
                Arguments.of(ok + "050100" + name("a..parley") + "0050", METHOD + "0504" + REST, "expected"),
                Arguments.of(ok + "050100" + name("-a.parley") + "0050", METHOD + "0504" + REST, "expected"),
                Arguments.of(ok + "050100" + "0300" + "0050", METHOD + "0501" + REST, "host name \"\""),
                Arguments.of(ok + "050100" + name("a\u0000.parley") + "0050", METHOD + "0501" + REST, "\\u0000"),
                Arguments.of(ok + "050100" + name("a b.parley") + "0050", METHOD + "0501" + REST, "host name"),
                Arguments.of(ok + "050100" + name("\u00fc.parley") + "0050", METHOD + "0501" + REST, "host name"),
                Arguments.of(ok + "050100" + name("a".repeat(255)) + "0050", METHOD + "0502" + REST, "aaa"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void otherRequest_isRefused_withTheReplyOfTheProtocol(String input, String output, String message) {
        assertThatThrownBy(() -> negotiate(input))
                .isInstanceOf(SocksRefusedException.class)
                .hasMessageContaining(message);
        assertThat(output()).isEqualTo(output);
    }

    @Test
    void failureToConnect_hasTheReplyOfTheProtocol() {
        assertThat(SocksConnector.replyTo(new UnknownHostException())).isEqualTo(SocksReply.HOST_UNREACHABLE);
        assertThat(SocksConnector.replyTo(new NoRouteToHostException())).isEqualTo(SocksReply.HOST_UNREACHABLE);
        assertThat(SocksConnector.replyTo(new SocketTimeoutException())).isEqualTo(SocksReply.HOST_UNREACHABLE);
        assertThat(SocksConnector.replyTo(new ConnectException())).isEqualTo(SocksReply.CONNECTION_REFUSED);
        assertThat(SocksConnector.replyTo(new SocketException())).isEqualTo(SocksReply.GENERAL_FAILURE);
        ConnectException refused = new ConnectException();
        refused.initCause(ErrorCode.IDENTITY_REFUSED.exception("not allowed"));
        assertThat(SocksConnector.replyTo(refused)).isEqualTo(SocksReply.NOT_ALLOWED);
    }
}
