package io.parley.advertisement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.parley.advertisement.PrinterAdvertisement.Tray;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AdvertisementTypeRegistryTest {
    private static final PipeId PIPE = PipeId.ofName(GroupId.NET, "printer");
    private static final PrinterAdvertisement PRINTER = new PrinterAdvertisement(
            PIPE,
            TestPublishers.ALICE.peerId(),
            GroupId.NET,
            AdvertisementId.ENDPOINT_SERVICE,
            "hall <2> & \"yard\" \uD83D\uDE80",
            true,
            30,
            List.of(new Tray("A4", 500), new Tray("A3", 0)),
            "roomy");

    private final AdvertisementCodec installed = AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS);

    @Test
    void builtInTypes_areJxtas() {
        assertThat(AdvertisementTypeRegistry.builtIn().names())
                .containsExactly(
                        "jxta:PA",
                        "jxta:PGA",
                        "jxta:PipeAdvertisement",
                        "jxta:RA",
                        "jxta:RdvAdvertisement",
                        "jxta:MCA",
                        "jxta:MSA",
                        "jxta:MIA");
    }

    @Test
    void typeOnTheClassPath_isFound_andItsAdvertisementsTravel() {
        ManualClock clock = new ManualClock(Instant.parse("2026-11-21T12:00:00Z"));
        SignedAdvertisement signed =
                new AdvertisementSigner(TestPublishers.ALICE, installed, clock).sign(PRINTER, GroupId.NET);
        SignedAdvertisement verified = new AdvertisementVerifier(installed, clock).verify(signed.toByteArray());
        assertThat(verified.advertisement()).isEqualTo(PRINTER);
        assertThat(verified.key().key()).isEqualTo(PIPE.text());
        assertThat(verified.advertisement().attributes()).contains(new AdvertisementAttribute("color", "true"));
    }

    @Test
    void mappedDocument_isPlain() {
        assertThat(new String(installed.encode(PRINTER), StandardCharsets.UTF_8))
                .startsWith(
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Printer xmlns:jxta=\"http://jxta.org\" xml:space="
                                + "\"preserve\"><pipe>" + AdvertisementId.of(PIPE) + "</pipe>")
                .contains("<color>true</color><pagesPerMinute>30</pagesPerMinute>")
                .contains("<paper>A4</paper><sheets>500</sheets>")
                .endsWith("<space>roomy</space></Printer>");
    }

    @Test
    void mappedDocument_withUnknownChildrenAndOurUrn_isRead() {
        String document = "<Printer><new><x/></new><pipe>" + PIPE.urn() + "</pipe><place> hall </place></Printer>";
        assertThat(read(document))
                .isEqualTo(new PrinterAdvertisement(PIPE, null, null, null, "hall", false, 0, null, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Printer/>",
                "<Printer><place>hall</place></Printer>",
                "<Printer><pipe>x</pipe><place>hall</place></Printer>",
                "<Printer><pipe>urn:jxta:jxta-NetGroup</pipe><place>hall</place></Printer>",
                "<Printer><pipe>urn:jxta:uuid-04</pipe><place>hall</place><pagesPerMinute>many</pagesPerMinute></Printer>",
                "<Printer><undeclared:x/><pipe>urn:jxta:uuid-04</pipe><place>hall</place></Printer>"
            })
    void mappedDocument_thatDoesNotFit_isRejected(String document) {
        assertThatExceptionOfType(PeerFaultException.class)
                .isThrownBy(() -> read(document))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_ADVERTISEMENT))
                .withMessageStartingWith("Printer: ");
    }

    @Test
    void typeThatIsNotRegistered_isRead_butNotWritten() {
        AdvertisementCodec builtIn = AdvertisementCodec.builtIn(AdvertisementLimits.DEFAULTS);
        assertThat(builtIn.decode(installed.encode(PRINTER))).isInstanceOf(OpaqueAdvertisement.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builtIn.encode(PRINTER))
                .withMessageContaining("Printer")
                .withMessageContaining("jxta:PA");
    }

    @Test
    void typeAddedByHand_isUsed() {
        record Note(String text) implements Advertisement {
            @Override
            public String type() {
                return "app:Note";
            }

            @Override
            public String key() {
                return text;
            }

            @Override
            public List<AdvertisementAttribute> attributes() {
                return List.of();
            }
        }
        AdvertisementType<Note> type = AdvertisementType.of(
                "app:Note",
                Note.class,
                document -> new Note(document.requireText("text")),
                note -> XmlElement.of("app:Note", XmlElement.ofText("text", note.text())));
        AdvertisementCodec documents =
                new AdvertisementCodec(AdvertisementTypeRegistry.builtIn().with(type), AdvertisementLimits.DEFAULTS);
        Note note = new Note("hello");
        assertThat(documents.decode(documents.encode(note))).isEqualTo(note);
    }

    @Test
    void typeThatThrows_rejectsTheDocument() {
        AdvertisementType<PrinterAdvertisement> failing = AdvertisementType.of(
                "Failing",
                PrinterAdvertisement.class,
                document -> {
                    throw new UnsupportedOperationException("unsupported content");
                },
                printer -> XmlElement.of("Failing"));
        AdvertisementCodec documents =
                new AdvertisementCodec(AdvertisementTypeRegistry.builtIn().with(failing), AdvertisementLimits.DEFAULTS);
        assertThatExceptionOfType(PeerFaultException.class)
                .isThrownBy(() -> documents.decode("<Failing/>".getBytes(StandardCharsets.UTF_8)))
                .withMessageContaining("unsupported content");
    }

    @Test
    void twoTypesOfOneName_areRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AdvertisementTypeRegistry.installed().with(new PrinterAdvertisementType()))
                .withMessageContaining("Printer");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AdvertisementTypeRegistry.builtIn()
                        .with(new MappedAdvertisementType<>("jxta:PA", PrinterAdvertisement.class)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "app:Printer", "jxta:a:b", "1"})
    void mappedTypeWithANameThatCannotBeDeclared_isRejected(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MappedAdvertisementType<>(name, PrinterAdvertisement.class));
    }

    private Advertisement read(String document) {
        return installed.decode(document.getBytes(StandardCharsets.UTF_8));
    }
}
