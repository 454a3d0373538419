package io.parley.codec.compress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.encoding.EncodingSchemeContractTest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the contract suite for the xmlppm scheme, and tests its limits and that its predictions never change. */
final class XmlPpmEncodingSchemeTest extends EncodingSchemeContractTest {

    private final XmlPpmEncodingScheme xmlPpm = new XmlPpmEncodingScheme();

    @Override
    protected EncodingScheme scheme() {
        return xmlPpm;
    }

    @Override
    protected MessageElement encodable(Random random) {
        return MessageElement.ofXml("document", Documents.random(random, 3));
    }

    /** A remote peer could use the processor of each peer that has the scheme on its class path. */
    @Override
    protected boolean isInstalled() {
        return false;
    }

    @Test
    void scheme_isNotFoundOnTheClassPath() {
        assertThat(EncodingScheme.installed()).extracting(EncodingScheme::name).doesNotContain("xmlppm");
    }

    @Test
    void encode_document_isMuchSmallerThanByGzip() {
        MessageElement document = MessageElement.ofXml("document", Documents.random(new Random(1), 200));
        long gzip = new GzipEncodingScheme().encode(document).orElseThrow().size();
        assertThat(xmlPpm.encode(document).orElseThrow().size()).isLessThan(gzip * 3 / 4);
    }

    /** Peers of different versions and on different machines must predict the same. */
    @Test
    void encode_sameDocument_givesTheSameBytesInEachVersion() {
        String document = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<employees>\n"
                + " <employee id=\"156201\"><name>Anthony</name><phone kind='home'>416-610-1056</phone></employee>\n"
                + " <employee id=\"744559\"><name>William</name><phone kind='work'>709-490-1770</phone></employee>\n"
                + " <empty /><!-- none --><![CDATA[a<b]]><?target data?></employees >\n";
        assertThat(HexFormat.of().formatHex(encoded(document)))
                .isEqualTo(
                        "01b2025cce6b3060e70e4ce2b3fb1b0e9d7186786191b4585d8988b98393568c75b4537cde879e2d301e03bae8661be41b2b"
                                + "f83fc027b7a38e44ad6d740be910e61e2adcbd62e6af16076dda42d9bc8b813fc41dfad5ffe3cb7944a1b2a69f040180e1d9"
                                + "3875ce03c23f77cfe178f52e200bab02fb19ca6a5b86b39bd63015b39fc0");
    }

    /** A document in which all predictions are used. */
    @Test
    void encode_largeDocument_givesTheSameBytesInEachVersion() {
        CRC32C checksum = new CRC32C();
        checksum.update(encoded(Documents.random(new Random(3), 1000)));
        assertThat(Long.toHexString(checksum.getValue())).isEqualTo("84c7fca5");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<a><b>one</b><b>two</b></a>",
                "<a/>",
                "<a />",
                "<a></a>",
                "<a  x=\"1\"\ty = '2'>text</a >",
                "<a x='1' y=\"2\" z='a>b'/>",
                "<a x=\"1\"  />",
                "\ufeff<?xml version='1.0'?>\r\n<!-- <b> --><!DOCTYPE a [<!ENTITY e \"<x>\"> <?p ]>?>]>\n<a>&e;</a>\n<!-- end -->\n",
                "<a><!-- c --><![CDATA[<x>]]]]><?target some data?><?x?><!----></a>",
                "<a>\n <b>\u00e4\u4e2d\ud83d\ude00</b>\n</a>",
                "<a><b/><b x=\"\"/><b></b> \u0001 </a> trailing",
            })
    void roundTrip_eachForm_givesTheSameBytes(String document) {
        String padded = " ".repeat(200) + document;
        byte[] encoded = encoded(padded);
        assertThat(encoded[0]).as("form").isEqualTo((byte) 1);
        assertThat(decoded(encoded)).isEqualTo(padded);
    }

    @Test
    void roundTrip_moreNamesThanNumbers_givesTheSameBytes() {
        StringBuilder document = new StringBuilder("<a>");
        for (int i = 0; i < 600; i++) {
            int name = i % 300;
            document.append("<n")
                    .append(name)
                    .append(" a")
                    .append(name)
                    .append("=\"")
                    .append(i)
                    .append("\"/>");
        }
        byte[] encoded = encoded(document.append("</a>").toString());
        assertThat(encoded[0]).as("form").isEqualTo((byte) 1);
        assertThat(decoded(encoded)).isEqualTo(document.toString());
    }

    @Test
    void roundTrip_longWhiteSpace_givesTheSameBytes() {
        String document =
                "<a>" + (" ".repeat(99) + "<b/>" + " ".repeat(101) + "<b/>" + " ".repeat(100)).repeat(3) + "</a>";
        assertThat(decoded(encoded(document))).isEqualTo(document);
    }

    // -- limits

    @Test
    void encode_moreThanAMebibyte_isCompressedByDeflate() {
        StringBuilder document = new StringBuilder("<a>");
        Random random = new Random(1);
        while (document.length() < (1 << 20) - 4) {
            document.append((char) ('a' + random.nextInt(26)));
        }
        assertThat(encoded(document + "</a>")[0]).isEqualTo((byte) 1);
        assertThat(encoded(document + "b</a>")[0]).isEqualTo((byte) 0);
    }

    @Test
    void encode_documentThatBecomesFarSmaller_isCompressedByDeflate() {
        String document = "<a>" + "<b>the same</b>".repeat(10_000) + "</a>";
        byte[] encoded = encoded(document);
        assertThat(encoded[0]).isEqualTo((byte) 0);
        assertThat(decoded(encoded)).isEqualTo(document);
    }

    @Test
    void maxDecodedBytes_isTheSizeOfTheDocument() {
        String document = Documents.random(new Random(2), 3);
        MessageElement element = MessageElement.of("document", encoded(document));
        assertThat(xmlPpm.maxDecodedBytes(element)).isEqualTo(document.getBytes(UTF_8).length);
    }

    @Test
    void decode_fewBytesOfALargeDocument_areMalformed() {
        byte[] encoded = encoded(Documents.random(new Random(2), 3));
        byte[] larger = withLength(encoded, 1 << 20);
        assertMalformed(larger, "expected: <= ");
    }

    @Test
    void decode_moreThanAMebibyte_exceedsTheLimit() {
        byte[] larger = withLength(encoded(Documents.random(new Random(2), 3)), (1 << 20) + 1);
        assertThatThrownBy(() -> decoded(larger, 1 << 24))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining("1048576");
    }

    /** Zeros behind the end are decoded too, so a document without an end is possible. */
    @Test
    void decode_anythingBehindTheHeader_ends() {
        byte[] header = Arrays.copyOf(encoded(Documents.random(new Random(2), 3)), 7);
        for (int first = 0; first < 256; first++) {
            byte[] data = Arrays.copyOf(header, 9);
            data[7] = (byte) first;
            data[8] = 1;
            assertMalformed(data, "");
        }
    }

    @Test
    void decode_bytesBehindTheData_areMalformed() {
        byte[] encoded = encoded(Documents.random(new Random(2), 3));
        byte[] longer = Arrays.copyOf(encoded, encoded.length + 10);
        assertMalformed(longer, "a zero at the end");
        Arrays.fill(longer, encoded.length, longer.length, (byte) 1);
        assertMalformed(longer, "behind the compressed data");
    }

    private void assertMalformed(byte[] encoded, String fault) {
        assertThatThrownBy(() -> decoded(encoded))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                .hasMessageContaining(fault);
    }

    /** Returns the content with another length, of three bytes. */
    private static byte[] withLength(byte[] encoded, int length) {
        int behind = 1;
        while (encoded[behind] < 0) {
            behind++;
        }
        behind++;
        byte[] changed = new byte[encoded.length - behind + 4];
        changed[0] = encoded[0];
        changed[1] = (byte) (length | 0x80);
        changed[2] = (byte) (length >>> 7 | 0x80);
        changed[3] = (byte) (length >>> 14);
        System.arraycopy(encoded, behind, changed, 4, encoded.length - behind);
        return changed;
    }

    private byte[] encoded(String content) {
        return xmlPpm.encode(MessageElement.ofXml("document", content))
                .orElseThrow()
                .toByteArray();
    }

    private String decoded(byte[] encoded) {
        return decoded(encoded, 1 << 20);
    }

    private String decoded(byte[] encoded, long maxBytes) {
        MessageElement element = MessageElement.of("", "document", "application/xml", Payload.of(encoded));
        return new String(xmlPpm.decode(element, maxBytes).toByteArray(), UTF_8);
    }
}
