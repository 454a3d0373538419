package io.parley.codec.compress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.encoding.EncodingScheme;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.encoding.EncodingSchemeContractTest;
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
            })
    void roundTrip_otherContents_areCompressedByDeflate(String content) {
        String padded = content + " ".repeat(200);
        byte[] encoded = encoded(padded);
        assertThat(encoded[0]).as("form").isEqualTo((byte) 0);
        assertThat(decoded(encoded)).isEqualTo(padded);
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
