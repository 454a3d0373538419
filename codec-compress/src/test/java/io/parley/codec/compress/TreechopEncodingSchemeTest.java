package io.parley.codec.compress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.encoding.EncodingScheme;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.ByteMutator;
import io.parley.testkit.encoding.EncodingSchemeContractTest;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the contract suite for the treechop scheme, and tests which documents it restores. */
final class TreechopEncodingSchemeTest extends EncodingSchemeContractTest {

    private final TreechopEncodingScheme treechop = new TreechopEncodingScheme();

    @Override
    protected EncodingScheme scheme() {
        return treechop;
    }

    @Override
    protected MessageElement encodable(Random random) {
        return MessageElement.ofXml("document", Documents.random(random));
    }

    @Test
    void encode_xml_isTheFormForXml() {
        assertThat(encoded(Documents.random(new Random(1)))[0]).isEqualTo((byte) 1);
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
                "\ufeff<?xml version='1.0'?>\r\n<!-- <b> --><!DOCTYPE a [<!ELEMENT a (#PCDATA)> <!ENTITY e \"<x>\"> <?p ]>?>]>\n<a>&e;</a>\n<!-- end -->\n",
                "<a><!-- c --><![CDATA[<x>]]]]><?target some data?><?x?><!----></a>",
                "<a>\n <b>\u00e4\u4e2d\ud83d\ude00</b>\n</a>",
                "<a><b/><b x=\"\"/><b></b></a> trailing",
            })
    void roundTrip_eachForm_givesTheSameBytes(String document) {
        String padded = document.replace("</a", "<p>" + "padding ".repeat(40) + "</p></a");
        padded = padded.equals(document) ? " ".repeat(200) + document : padded;
        byte[] encoded = encoded(padded);
        assertThat(encoded[0]).as("form").isEqualTo((byte) 1);
        assertThat(decoded(encoded)).isEqualTo(padded);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<a><b></a></b>",
                "<a><b>",
                "<a>text",
                "<a b=\"1>text</a>",
                "<a><!-- text</a>",
                "<a><!x></a>",
                "<>text</>",
                "<a>\u0000</a>",
                "<!DOCTYPE a [ <a></a>",
                "<",
                "<a><",
                "not XML",
                "</a>",
                "</",
            })
    void roundTrip_otherContents_areCompressedByDeflate(String content) {
        String padded = content + " ".repeat(200);
        byte[] encoded = encoded(padded);
        assertThat(encoded[0]).as("form").isEqualTo((byte) 0);
        assertThat(decoded(encoded)).isEqualTo(padded);
    }

    @Test
    void roundTrip_mutatedDocuments_givesTheSameBytes() {
        long seed = TestSeed.next("mutated documents for treechop");
        Random random = new Random(seed);
        ByteMutator mutator = new ByteMutator(seed);
        int[] forms = new int[2];
        for (int i = 0; i < 500; i++) {
            byte[] document = mutator.mutate(Documents.random(random).getBytes(UTF_8));
            Optional<Payload> encoded = treechop.encode(MessageElement.of("document", document));
            if (encoded.isPresent()) {
                byte[] content = encoded.get().toByteArray();
                forms[content[0]]++;
                assertThat(treechop.decode(MessageElement.of("document", content), document.length))
                        .as("seed %d, document %d", seed, i)
                        .isEqualTo(Payload.of(document));
            }
        }
        assertThat(forms).as("documents of each form").doesNotContain(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16LE", "UTF-16BE", "ISO-8859-1", "UTF-32"})
    void roundTrip_otherCharsets_givesTheSameBytes(String charset) {
        byte[] document = Documents.employees(10).getBytes(Charset.forName(charset));
        byte[] encoded = treechop.encode(MessageElement.of("document", document))
                .orElseThrow()
                .toByteArray();
        assertThat(encoded[0]).as("form").isEqualTo((byte) (charset.startsWith("UTF") ? 0 : 1));
        assertThat(treechop.decode(MessageElement.of("document", encoded), document.length))
                .isEqualTo(Payload.of(document));
    }

    /** A document of the largest size is a tree, and a larger one is not. */
    @Test
    void roundTrip_largestDocument() {
        int max = 1 << 24;
        for (int size : new int[] {max, max + 1}) {
            byte[] document = new byte[size];
            Arrays.fill(document, (byte) ' ');
            System.arraycopy("<a/>".getBytes(UTF_8), 0, document, 0, 4);
            byte[] encoded = treechop.encode(MessageElement.of("document", document))
                    .orElseThrow()
                    .toByteArray();
            assertThat(encoded[0]).as("form").isEqualTo((byte) (size > max ? 0 : 1));
            assertThat(treechop.decode(MessageElement.of("document", encoded), size)
                            .equals(Payload.of(document)))
                    .isTrue();
        }
    }

    @Test
    void encode_noise_isEmpty() {
        for (int size : new int[] {0, 1, 10, 11, 64, 1000, 100_000}) {
            byte[] noise = new byte[size];
            new Random(size).nextBytes(noise);
            assertThat(treechop.encode(MessageElement.of("noise", noise))).isEmpty();
        }
    }

    private byte[] encoded(String content) {
        return treechop.encode(MessageElement.ofXml("document", content))
                .orElseThrow()
                .toByteArray();
    }

    private String decoded(byte[] encoded) {
        MessageElement element = MessageElement.of("", "document", "application/xml", Payload.of(encoded));
        return new String(treechop.decode(element, 1 << 20).toByteArray(), UTF_8);
    }
}
