package io.parley.codec.xml.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.MessageElement;
import io.parley.testkit.TestSeed;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import javax.xml.parsers.DocumentBuilderFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** Tests elements as DOM trees against the parser of the JDK. */
final class XmlDocumentsTest {
    private final XmlDocuments documents = XmlDocuments.DEFAULTS;

    @ParameterizedTest
    @EnumSource
    void read_documents_equalsTheTreeOfTheJdkParser(XmlForm form) throws Exception {
        for (String document : Samples.DOCUMENTS) {
            Document tree = documents.read(Samples.element(form, document));
            tree.normalize();
            assertThat(tree.isEqualNode(parsed(document))).as(document).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void write_thenRead_returnsAnEqualTree(XmlForm form) throws Exception {
        Random random = TestSeed.random("XmlDocumentsTest, " + form);
        for (int i = 0; i < 50; i++) {
            String document = i < Samples.DOCUMENTS.length ? Samples.DOCUMENTS[i] : Samples.randomDocument(random);
            Document tree = parsed(document);
            MessageElement element = documents.write("n", form, tree);
            assertThat(element.type()).isEqualTo(form.type());
            assertThat(documents.read(element).isEqualNode(tree)).as(document).isTrue();
            assertThat(tree.isEqualNode(parsed(document)))
                    .as("the tree is not modified")
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void write_undeclaredNamespaces_declaresThem(XmlForm form) throws Exception {
        Document tree = parsed("<root/>");
        Element child = tree.createElementNS("urn:c", "c:child");
        child.setAttributeNS("urn:a", "a:attribute", "1");
        tree.getDocumentElement().appendChild(child);
        Document read = documents.read(documents.write("n", form, tree));
        Node found = read.getDocumentElement().getFirstChild();
        assertThat(found.getNamespaceURI()).isEqualTo("urn:c");
        assertThat(((Element) found).getAttributeNS("urn:a", "attribute")).isEqualTo("1");
    }

    @ParameterizedTest
    @EnumSource
    void write_nodesWithoutLocalNames_areWritten(XmlForm form) throws Exception {
        Document tree = parsed("<root/>");
        Element child = tree.createElement("child");
        child.setAttribute("id", "1");
        tree.getDocumentElement().appendChild(child);
        Document read = documents.read(documents.write("n", form, tree));
        assertThat(((Element) read.getDocumentElement().getFirstChild()).getAttribute("id"))
                .isEqualTo("1");
    }

    @ParameterizedTest
    @EnumSource
    void write_doctypeOrNoRoot_isRejected(XmlForm form) throws Exception {
        Document tree = parsed("<!DOCTYPE root><root/>");
        assertFails(ErrorCode.NOT_ENCODABLE, () -> documents.write("n", form, tree));
        tree.removeChild(tree.getDoctype());
        tree.removeChild(tree.getDocumentElement());
        assertFails(ErrorCode.NOT_ENCODABLE, () -> documents.write("n", form, tree));
    }

    @ParameterizedTest
    @EnumSource
    void write_deepTree_isTooLargeWithoutStackOverflow(XmlForm form) throws Exception {
        Document tree = parsed("<root><first><x/></first></root>");
        Node parent = tree.getDocumentElement();
        for (int depth = 2; depth <= XmlLimits.DEFAULTS.maxDepth(); depth++) {
            parent = parent.appendChild(tree.createElementNS(null, "a"));
        }
        MessageElement deepest = documents.write("n", form, tree);
        assertThat(documents.read(deepest).isEqualNode(tree)).isTrue();
        // Built from the leaf up, because the DOM checks all ancestors of a node when a child is appended to it.
        Node subtree = tree.createElementNS(null, "a");
        for (int depth = 0; depth < 100_000; depth++) {
            Node outer = tree.createElementNS(null, "a");
            outer.appendChild(subtree);
            subtree = outer;
        }
        parent.appendChild(subtree);
        assertFails(ErrorCode.MESSAGE_TOO_LARGE, () -> documents.write("n", form, tree));
    }

    @Test
    void read_malformed_isPeerFault() {
        for (String document :
                new String[] {"<a>", "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><a>&e;</a>", "<a/><b/>"
                }) {
            assertFails(ErrorCode.MALFORMED_MESSAGE, () -> documents.read(Samples.textElement(document)));
        }
        assertFails(ErrorCode.LIMIT_EXCEEDED, () -> documents.read(Samples.textElement("<a>".repeat(100_000))));
    }

    /** Elements of two to four bytes, each of which takes more than 64 bytes in a tree. */
    @Test
    void read_tinyElements_areLimited() {
        int pairs = 1 << 19;
        MessageElement text = Samples.textElement("<a>" + "<a><a/></a>".repeat(pairs) + "</a>");
        MessageElement infoset =
                Samples.element(HexFormat.of().parseHex("e0000001003c0061" + "0000ff".repeat(pairs) + "ff"));
        assertFails(ErrorCode.LIMIT_EXCEEDED, () -> documents.read(text));
        assertFails(ErrorCode.LIMIT_EXCEEDED, () -> documents.read(infoset));
    }

    /** Two elements, an attribute, a namespace declaration, a section, a comment, an instruction and a text. */
    @ParameterizedTest
    @EnumSource
    void nodes_areCounted(XmlForm form) throws Exception {
        String document = "<a xmlns='urn:a'><b c='d'><![CDATA[e]]></b><!--f--><?g h?>i</a>";
        MessageElement element = Samples.element(form, document);
        Document tree = parsed(document);
        XmlDocuments exact = withMaxNodes(8);
        assertThat(exact.read(element).isEqualNode(tree)).isTrue();
        assertThat(exact.read(exact.write("n", form, tree)).isEqualNode(tree)).isTrue();
        XmlDocuments strict = withMaxNodes(7);
        assertFails(ErrorCode.LIMIT_EXCEEDED, () -> strict.read(element));
        assertFails(ErrorCode.MESSAGE_TOO_LARGE, () -> strict.write("n", form, tree));
    }

    private static XmlDocuments withMaxNodes(long maxNodes) {
        return new XmlDocuments(
                new XmlStreams(XmlLimits.DEFAULTS.toBuilder().maxNodes(maxNodes).build()));
    }

    private static void assertFails(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private static Document parsed(String xml) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
        factory.setNamespaceAware(true);
        Document document =
                factory.newDocumentBuilder().parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
        document.normalize();
        return document;
    }
}
