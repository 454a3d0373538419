package io.parley.advertisement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.error.PeerFaultException;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AdvertisementCodecTest {
    private static final AdvertisementId PIPE = AdvertisementId.of(PipeId.ofName(GroupId.NET, "chat"));
    private static final String ID = "<Id>" + PIPE.urn() + "</Id>";
    private static final String HEAD = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    private static final String ROOT = " xmlns:jxta=\"http://jxta.org\" xml:space=\"preserve\">";

    private final AdvertisementCodec documents = AdvertisementCodec.builtIn(AdvertisementLimits.DEFAULTS);

    @ParameterizedTest
    @ValueSource(longs = {51, 52, 53, 54})
    void anyAdvertisement_survivesADocument(long seed) {
        AdvertisementGenerator advertisements = new AdvertisementGenerator(seed);
        for (int i = 0; i < 1000; i++) {
            Advertisement advertisement = advertisements.next();
            byte[] document = documents.encode(advertisement);
            Advertisement read = documents.decode(document);
            assertThat(read).isEqualTo(advertisement);
            assertThat(read.key()).isEqualTo(advertisement.key());
            assertThat(documents.encode(read)).isEqualTo(document);
        }
    }

    @Test
    void pipe_looksLikeJxtas() {
        PipeAdvertisement pipe = new PipeAdvertisement(PIPE, PipeType.PROPAGATE, " a <b> & \"c\" ", "d");
        assertWritten(
                pipe,
                "<jxta:PipeAdvertisement" + ROOT + ID
                        + "<Type>JxtaPropagate</Type><Name>a &lt;b&gt; &amp; \"c\"</Name><Desc>d</Desc></jxta:PipeAdvertisement>");
        assertThat(pipe.attributes())
                .containsExactlyInAnyOrder(attribute("Name", "a <b> & \"c\""), attribute("Id", PIPE.urn()));
        assertThat(pipe.group()).contains(AdvertisementId.of(GroupId.NET));
        assertThat(pipe.publisher()).isEmpty();
    }

    @Test
    void peer_looksLikeJxtas() {
        AdvertisementId id = AdvertisementId.of(TestPublishers.ALICE.peerId());
        PeerAdvertisement peer = PeerAdvertisement.of(TestPublishers.ALICE.peerId(), GroupId.NET, "alice")
                .withRoute(new RouteAdvertisement(id, List.of("tcp://192.0.2.1:9701"), List.of()))
                .withService(
                        ServiceParameters.of(AdvertisementId.RENDEZVOUS_SERVICE, XmlElement.ofText("Rdv", "true")));
        assertWritten(
                peer,
                "<jxta:PA" + ROOT + "<PID>" + id + "</PID><GID>urn:jxta:uuid-7061726C65792D6E65742D67726F757002</GID>"
                        + "<Name>alice</Name>"
                        + "<Svc><MCID>urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE0000000805</MCID><Parm><jxta:RA><DstPID>"
                        + id
                        + "</DstPID><Dst><jxta:APA><EA>tcp://192.0.2.1:9701</EA></jxta:APA></Dst></jxta:RA></Parm></Svc>"
                        + "<Svc><MCID>urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE0000000605</MCID><Parm><Rdv>true</Rdv></Parm></Svc>"
                        + "</jxta:PA>");
        assertThat(peer.route())
                .hasValueSatisfying(route -> assertThat(route.addresses()).containsExactly("tcp://192.0.2.1:9701"));
        assertThat(peer.attributes()).containsExactlyInAnyOrder(attribute("Name", "alice"), attribute("PID", id.urn()));
        assertThat(peer.publisher()).contains(id);
    }

    @Test
    void others_lookLikeJxtas() {
        AdvertisementId peer = AdvertisementId.of(TestPublishers.ALICE.peerId());
        AdvertisementId spec = new AdvertisementId("urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE000000010206");
        RouteAdvertisement route =
                new RouteAdvertisement(peer, List.of(), List.of(new AccessPoint(peer, List.of("http://h:1"))));
        String ra = "<DstPID>" + peer + "</DstPID><Dst><jxta:APA/></Dst><Hops><jxta:APA><PID>" + peer
                + "</PID><EA>http://h:1</EA></jxta:APA></Hops>";
        assertWritten(route, "<jxta:RA" + ROOT + ra + "</jxta:RA>");
        assertWritten(
                new RdvAdvertisement(AdvertisementId.of(GroupId.NET), peer, "s", null, route),
                "<jxta:RdvAdvertisement" + ROOT
                        + "<RdvGroupId>urn:jxta:uuid-7061726C65792D6E65742D67726F757002</RdvGroupId>"
                        + "<RdvPeerId>" + peer + "</RdvPeerId><RdvServiceName>s</RdvServiceName><RdvRoute><jxta:RA>"
                        + ra
                        + "</jxta:RA></RdvRoute></jxta:RdvAdvertisement>");
        assertWritten(
                new PeerGroupAdvertisement(AdvertisementId.of(GroupId.NET), spec, "n", "d", List.of()),
                "<jxta:PGA" + ROOT + "<GID>urn:jxta:uuid-7061726C65792D6E65742D67726F757002</GID><MSID>" + spec
                        + "</MSID><Name>n</Name><Desc>d</Desc></jxta:PGA>");
        assertWritten(
                new ModuleClassAdvertisement(AdvertisementId.ENDPOINT_SERVICE, "n", null),
                "<jxta:MCA" + ROOT
                        + "<MCID>urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE0000000805</MCID><Name>n</Name></jxta:MCA>");
        assertThat(ModuleSpecAdvertisement.of(spec, "n", new PipeAdvertisement(PIPE, PipeType.UNICAST, null, null))
                        .attributes())
                .containsExactly(
                        attribute("Name", "n"),
                        attribute("MSID", spec.urn()),
                        attribute("MCID", "urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE0000000105"));
        assertWritten(
                ModuleSpecAdvertisement.of(spec, "n", new PipeAdvertisement(PIPE, PipeType.UNICAST, null, null)),
                "<jxta:MSA" + ROOT + "<MSID>" + spec + "</MSID><Name>n</Name><jxta:PipeAdvertisement>" + ID
                        + "<Type>JxtaUnicast</Type></jxta:PipeAdvertisement></jxta:MSA>");
        assertWritten(
                new ModuleImplAdvertisement(
                        spec, null, XmlElement.of("Comp", XmlElement.ofText("Efmt", "JDK")), "c", "u", "p", null),
                "<jxta:MIA" + ROOT + "<MSID>" + spec
                        + "</MSID><Comp><Efmt>JDK</Efmt></Comp><Code>c</Code><PURI>u</PURI><Prov>p</Prov></jxta:MIA>");
    }

    @Test
    void foreignDocument_withDoctypeUnknownChildrenAndOddSpace_isRead() {
        String document = "\uFEFF<?xml version='1.0' encoding='utf-8' standalone='yes'?>\r\n<!-- - --><?pi <x>?>"
                + "<!DOCTYPE\n jxta:PipeAdvertisement >\n<jxta:PipeAdvertisement xmlns:jxta='http://jxta.org' future='1'>\n"
                + "<Future><deep a='b'/>x</Future>\t<Name>\n\t<![CDATA[a<b]]>&#x21;<!--c-->!\n</Name><Type> JxtaUnicast </Type>"
                + ID + "</jxta:PipeAdvertisement><!-- end -->\n";
        assertThat(read(document)).isEqualTo(new PipeAdvertisement(PIPE, PipeType.UNICAST, "a<b!!", null));
    }

    @Test
    void rootsTypeAttribute_decidesWhenItIsKnown() {
        String rest = "\">" + ID + "<Type>JxtaUnicast</Type></x>";
        assertThat(read("<x type=\"jxta:PipeAdvertisement" + rest)).isInstanceOf(PipeAdvertisement.class);
        assertThat(read("<x type=\"y" + rest)).isInstanceOf(OpaqueAdvertisement.class);
    }

    @Test
    void unknownType_isPreserved_andFoundByName() {
        String document = HEAD + "<app:Printer" + ROOT + "<Name>p</Name><Place at=\"1\">hall</Place></app:Printer>";
        Advertisement printer = read(document);
        assertThat(printer.type()).isEqualTo("app:Printer");
        assertThat(printer.attributes()).containsExactly(attribute("Name", "p"));
        assertThat(printer.key())
                .isNotEqualTo(read(document.replace("hall", "yard")).key());
        assertThat(new String(documents.encode(printer), StandardCharsets.UTF_8))
                .isEqualTo(document);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "<",
                "<a",
                "<a>",
                "<a></b>",
                "<a/><b/>",
                "<a/>x",
                "<a b='1' b='2'/>",
                "<a>&lt</a>",
                "<a>&nbsp;</a>",
                "<a b='&x;'/>",
                "<a>&#0;</a>",
                "<a>]]></a>",
                "<!DOCTYPE b><a/>",
                "<!DOCTYPE a><!DOCTYPE a><a/>",
                "<!DOCTYPE a",
                "<!DOCTYPE>",
                "<!DOCTYPEa><a/>",
                "<!DOCTYPE a SYSTEM 'x'><a/>",
                "<!DOCTYPE a []><a/>",
                "<a/><!DOCTYPE a>",
                "<a><!DOCTYPE a></a>",
                "<?xml version='1.1'?><a/>",
                "<?xml version='1.0' encoding='ISO-8859-1'?><a/>",
                "<?xml version='1.0'?><?xml version='1.0'?><a/>",
                " <?xml version='1.0'?><a/>",
                "<!-- <a/>",
                "<? <a/>"
            })
    void malformedDocument_isRejected(String document) {
        assertRejected(document, ErrorCode.MALFORMED_ADVERTISEMENT);
    }

    @Test
    void bytesThatAreNoUtf8_areRejected() {
        byte[] document = "<a>?</a>".getBytes(StandardCharsets.UTF_8);
        document[3] = (byte) 0xC3;
        assertThatExceptionOfType(PeerFaultException.class).isThrownBy(() -> documents.decode(document));
        byte[] utf16 = "<a/>".getBytes(StandardCharsets.UTF_16);
        assertThatExceptionOfType(PeerFaultException.class).isThrownBy(() -> documents.decode(utf16));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<jxta:PipeAdvertisement/>",
                "<jxta:PipeAdvertisement><Id>chat</Id><Type>JxtaUnicast</Type></jxta:PipeAdvertisement>",
                "<jxta:PipeAdvertisement><Id>urn:x:y</Id></jxta:PipeAdvertisement>",
                "<jxta:PipeAdvertisement><Id>urn:x:y</Id><Type>Sewer</Type></jxta:PipeAdvertisement>",
                "<jxta:PA><PID>urn:x:y</PID></jxta:PA>",
                "<jxta:PA><PID>urn:x:y</PID><GID>urn:x:y</GID><Svc/></jxta:PA>",
                "<jxta:RA/>",
                "<jxta:RA><DstPID>urn:x:y</DstPID><Hops><jxta:APA/></Hops></jxta:RA>",
                "<jxta:RdvAdvertisement><RdvGroupId>urn:x:y</RdvGroupId><RdvPeerId>urn:x:y</RdvPeerId></jxta:RdvAdvertisement>",
                "<jxta:PGA><GID>urn:x:y</GID></jxta:PGA>",
                "<jxta:MCA/>",
                "<jxta:MSA/>",
                "<jxta:MIA/>"
            })
    void incompleteDocument_isRejected(String document) {
        assertRejected(document, ErrorCode.MALFORMED_ADVERTISEMENT);
    }

    @Test
    void rendezvous_withTheRouteOfAnother_isRejected() {
        assertRejected(
                "<jxta:RdvAdvertisement><RdvGroupId>urn:x:y</RdvGroupId><RdvPeerId>urn:x:y</RdvPeerId>"
                        + "<RdvServiceName>s</RdvServiceName><RdvRoute><jxta:RA><DstPID>urn:x:z</DstPID></jxta:RA></RdvRoute>"
                        + "</jxta:RdvAdvertisement>",
                ErrorCode.MALFORMED_ADVERTISEMENT);
    }

    @Test
    void externalEntity_isNeverFetched(@TempDir Path folder) throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "secret");
        try (java.net.ServerSocket listener =
                new java.net.ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            listener.setSoTimeout(1);
            String http = "http://127.0.0.1:" + listener.getLocalPort() + "/x";
            for (String uri : List.of(secret.toUri().toString(), http)) {
                assertRejected(
                        "<!DOCTYPE a [<!ENTITY e SYSTEM \"" + uri + "\">]><a><Name>&e;</Name></a>",
                        ErrorCode.MALFORMED_ADVERTISEMENT);
                assertRejected("<!DOCTYPE a SYSTEM \"" + uri + "\"><a/>", ErrorCode.MALFORMED_ADVERTISEMENT);
                assertRejected(
                        "<!DOCTYPE a [<!ENTITY % e SYSTEM \"" + uri + "\">%e;]><a/>",
                        ErrorCode.MALFORMED_ADVERTISEMENT);
                assertThat(read("<a xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:schemaLocation='x " + uri
                                + "'><xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='" + uri
                                + "'/></a>"))
                        .isInstanceOf(OpaqueAdvertisement.class);
            }
            assertThatExceptionOfType(java.net.SocketTimeoutException.class).isThrownBy(listener::accept);
        }
    }

    @Test
    void entityBomb_isRejected() {
        StringBuilder bomb = new StringBuilder("<!DOCTYPE a [<!ENTITY l0 \"lol\">");
        for (int i = 1; i < 10; i++) {
            bomb.append("<!ENTITY l")
                    .append(i)
                    .append(" \"")
                    .append(("&l" + (i - 1) + ";").repeat(10))
                    .append("\">");
        }
        assertRejected(bomb.append("]><a>&l9;</a>").toString(), ErrorCode.MALFORMED_ADVERTISEMENT);
    }

    @Test
    void depth_atTheLimitIsRead_aboveIsRejected() {
        assertThat(read("<a>".repeat(32) + "</a>".repeat(32)).type()).isEqualTo("a");
        assertThat(rejection("<a>".repeat(33) + "</a>".repeat(33), ErrorCode.LIMIT_EXCEEDED))
                .contains("depth: 33", "32");
        assertRejected("<a>".repeat(20_000), ErrorCode.LIMIT_EXCEEDED);
    }

    @Test
    void attributes_atTheLimitAreRead_aboveAreRejected() {
        assertThat(read("<a" + attributes(16) + "/>").type()).isEqualTo("a");
        assertThat(rejection("<a" + attributes(17) + "/>", ErrorCode.LIMIT_EXCEEDED))
                .contains("attributes: 17", "16");
    }

    /** Otherwise no document of the writer could be read under a lower limit. */
    @Test
    void attributesThatEachWrittenRootHas_areNotCounted() {
        AdvertisementCodec none = AdvertisementCodec.builtIn(
                AdvertisementLimits.DEFAULTS.toBuilder().maxAttributes(0).build());
        Advertisement advertisement = read("<a><Name>x</Name></a>");
        assertThat(none.decode(none.encode(advertisement))).isEqualTo(advertisement);
        assertThatExceptionOfType(PeerFaultException.class)
                .isThrownBy(() -> none.decode("<a xmlns:jxta='x' b='y'/>".getBytes(StandardCharsets.UTF_8)))
                .withMessageContaining("attributes: 1 (expected: <= 0)");
    }

    @Test
    void orderOfAttributes_hasNoEffectOnTheDocument_andOnTheKey() {
        Advertisement one = read("<a><b x='1' y='2'/></a>");
        Advertisement other = read("<a><b y='2' x='1'/></a>");
        assertThat(other).isEqualTo(one);
        assertThat(other.key()).isEqualTo(one.key());
        assertThat(documents.encode(other)).isEqualTo(documents.encode(one));
    }

    @Test
    void elements_atTheLimitAreRead_aboveAreRejected() {
        assertThat(read("<a>" + "<b/>".repeat(2047) + "</a>").type()).isEqualTo("a");
        assertThat(rejection("<a>" + "<b/>".repeat(2048) + "</a>", ErrorCode.LIMIT_EXCEEDED))
                .contains("elements", "2048");
    }

    /** The time of the parser grows with the square of the number of names that have one hash. */
    @Test
    void names_atTheLimitAreRead_aboveAreRejected() {
        assertThat(read("<a>" + names("<n%d/>", 1023) + "</a>").type()).isEqualTo("a");
        assertThat(rejection("<a>" + names("<n%d/>", 1024) + "</a>", ErrorCode.LIMIT_EXCEEDED))
                .contains("distinct names", "1024");
        assertThat(rejection("<a>" + names("<b n%d=''/>", 1023) + "</a>", ErrorCode.LIMIT_EXCEEDED))
                .contains("distinct names");
        assertThat(rejection("<a>" + names("<?n%d?>", 1024) + "</a>", ErrorCode.LIMIT_EXCEEDED))
                .contains("distinct names");
    }

    private static String names(String form, int count) {
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < count; i++) {
            names.append(String.format(form, i));
        }
        return names.toString();
    }

    @Test
    void bytes_atTheLimitAreRead_aboveAreRejected() {
        String around = "<a></a>";
        String full = "<a>" + "x".repeat((64 << 10) - around.length()) + "</a>";
        assertThat(read(full).type()).isEqualTo("a");
        assertThat(rejection(full + " ", ErrorCode.LIMIT_EXCEEDED)).contains("65537 bytes", "65536");
    }

    @Test
    void indexedText_aboveTheLimit_isRejected() {
        assertThat(read("<a><Name>" + "x".repeat(4096) + "</Name></a>").attributes())
                .hasSize(1);
        assertThat(rejection("<a><Name>" + "x".repeat(4097) + "</Name></a>", ErrorCode.LIMIT_EXCEEDED))
                .contains("Name: 4097", "4096");
    }

    @ParameterizedTest
    @ValueSource(longs = {61, 62})
    void corruptedDocument_isReadOrRejected_andNothingElse(long seed) {
        Random random = new Random(Long.getLong("parley.test.seed", seed));
        AdvertisementGenerator advertisements = new AdvertisementGenerator(seed);
        for (int i = 0; i < 2000; i++) {
            byte[] document = documents.encode(advertisements.next());
            byte[] corrupted = random.nextBoolean()
                    ? java.util.Arrays.copyOf(document, random.nextInt(document.length))
                    : flipped(document, random.nextInt(8 * document.length));
            try {
                assertThat(documents.decode(corrupted)).isNotNull();
            } catch (PeerFaultException e) {
                assertThat(e.code()).isIn(ErrorCode.MALFORMED_ADVERTISEMENT, ErrorCode.LIMIT_EXCEEDED);
                assertThat(e.getMessage()).isNotBlank().matches("[ -~]*");
            }
        }
    }

    @Test
    void ownDocument_beyondTheLimits_failsTheCall() {
        XmlElement deep = XmlElement.of("a");
        for (int i = 0; i < 32; i++) {
            deep = XmlElement.of("a", deep);
        }
        XmlElement tooDeep = deep;
        assertTooLarge(tooDeep, "depth");
        assertTooLarge(XmlElement.ofText("a", "x".repeat(64 << 10)), "bytes");
        assertTooLarge(
                new XmlElement("a", Map.of(), "", java.util.Collections.nCopies(2048, XmlElement.of("b"))), "elements");
        XmlElement.Builder wide = XmlElement.builder("a");
        for (int i = 0; i < 17; i++) {
            wide.attribute("b" + i, "");
        }
        assertTooLarge(wide.build(), "attributes");
    }

    @Test
    void element_withInvalidCharacters_isRejected() {
        for (String name : List.of("", "a b", "1", "a>", "<", "a\u0000", "\"")) {
            assertThatIllegalArgumentException().isThrownBy(() -> XmlElement.of(name));
        }
        for (String text : List.of("\u0000", "\u001b", "\uFFFE", "\uD83D", "\uDE80\uD83D")) {
            assertThatIllegalArgumentException().isThrownBy(() -> XmlElement.ofText("a", text));
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () -> XmlElement.builder("a").attribute("b", text).build());
        }
    }

    private void assertWritten(Advertisement advertisement, String expected) {
        assertThat(new String(documents.encode(advertisement), StandardCharsets.UTF_8))
                .isEqualTo(HEAD + expected);
        assertThat(documents.decode((HEAD + expected).getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(advertisement);
    }

    private void assertTooLarge(XmlElement document, String what) {
        assertThatExceptionOfType(InvalidCallException.class)
                .isThrownBy(() -> documents.encode(new OpaqueAdvertisement(document)))
                .withMessageContaining(what);
    }

    private void assertRejected(String document, ErrorCode code) {
        assertThat(rejection(document, code)).isNotBlank();
    }

    private String rejection(String document, ErrorCode code) {
        try {
            Advertisement read = read(document);
            throw new AssertionError("read as " + read);
        } catch (PeerFaultException e) {
            assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
            return String.valueOf(e.getMessage());
        }
    }

    private Advertisement read(String document) {
        return documents.decode(document.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] flipped(byte[] bytes, int bit) {
        byte[] flipped = bytes.clone();
        flipped[bit / 8] ^= (byte) (1 << bit % 8);
        return flipped;
    }

    private static String attributes(int count) {
        StringBuilder attributes = new StringBuilder();
        for (int i = 0; i < count; i++) {
            attributes.append(" b").append(i).append("='c'");
        }
        return attributes.toString();
    }

    private static AdvertisementAttribute attribute(String name, String value) {
        return new AdvertisementAttribute(name, value);
    }
}
