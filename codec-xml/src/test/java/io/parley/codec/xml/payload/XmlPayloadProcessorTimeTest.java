package io.parley.codec.xml.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.parley.common.internal.DistinctNames;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.testkit.CollidingNames;
import io.parley.testkit.ProcessorTime;
import java.util.List;
import java.util.function.IntFunction;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The processor time of the readers of XML payloads is linear in the size of the document, in both forms. */
@Tag("extended")
class XmlPayloadProcessorTimeTest {

    private static final int MAX_ATTRIBUTES = XmlLimits.DEFAULTS.maxAttributes();
    private static final int MAX_DEPTH = XmlLimits.DEFAULTS.maxDepth();

    private static void read(MessageElement element) {
        try {
            XMLStreamReader reader = XmlStreams.DEFAULTS.read(element);
            while (reader.hasNext()) {
                reader.next();
            }
        } catch (XMLStreamException e) {
            throw new AssertionError(e);
        }
    }

    private static void assertLinear(String subject, XmlForm form, int n, IntFunction<String> documents) {
        ProcessorTime.assertLinear(subject + " as a stream", n, size -> {
            MessageElement element = Samples.element(form, documents.apply(size));
            read(element);
            return () -> read(element);
        });
        ProcessorTime.assertLinear(subject + " as a tree", n, size -> {
            MessageElement element = Samples.element(form, documents.apply(size));
            return () -> XmlDocuments.DEFAULTS.read(element);
        });
    }

    @ParameterizedTest
    @EnumSource(XmlForm.class)
    void text(XmlForm form) {
        assertLinear("text", form, 2000, n -> "<a>" + "some text &#x1F680; &lt; <![CDATA[x]]>".repeat(n) + "</a>");
    }

    @ParameterizedTest
    @EnumSource(XmlForm.class)
    void elementsAndComments(XmlForm form) {
        assertLinear("elements", form, 1000, n -> "<a>" + "<b c='1'><!-- - --></b><?d e?>".repeat(n) + "</a>");
    }

    /** The time of an element grows with the square of its attributes, which are limited; so the elements are full. */
    @ParameterizedTest
    @EnumSource(XmlForm.class)
    void fullElements(XmlForm form) {
        StringBuilder element = new StringBuilder("<b");
        for (int i = 0; i < MAX_ATTRIBUTES; i++) {
            element.append(" a").append(i).append("='").append(i).append('\'');
        }
        assertLinear("full elements", form, 8, n -> "<a>" + (element + "/>").repeat(n) + "</a>");
    }

    @ParameterizedTest
    @EnumSource(XmlForm.class)
    void depth(XmlForm form) {
        assertLinear("depth", form, MAX_DEPTH / 4, n -> "<a>".repeat(n) + "</a>".repeat(n));
    }

    @ParameterizedTest
    @EnumSource(XmlForm.class)
    void collidingNames(XmlForm form) {
        List<String> names = CollidingNames.of(DistinctNames.MAX_COLLIDING);
        StringBuilder first = new StringBuilder();
        names.forEach(name -> first.append('<').append(name).append("/>"));
        String last = "<" + names.get(names.size() - 1) + "/>";
        assertLinear("names of one hash", form, 1000, n -> "<a>" + first + last.repeat(n) + "</a>");
    }

    /** The parser searches the declarations in scope one by one for the prefix of each element. */
    @ParameterizedTest
    @EnumSource(XmlForm.class)
    void namespaces(XmlForm form) {
        StringBuilder head = new StringBuilder("<p0:a xmlns:p0='urn:0'><b");
        for (int i = 1; i < MAX_ATTRIBUTES - 1; i++) {
            head.append(" xmlns:p").append(i).append("='urn:").append(i).append('\'');
        }
        assertLinear("namespaces", form, 1000, n -> head + ">" + "<p0:c/>".repeat(n) + "</b></p0:a>");
    }

    private static String collidingElements(int count) {
        StringBuilder document = new StringBuilder("<a>");
        CollidingNames.of(count)
                .forEach(name -> document.append('<').append(name).append("/>"));
        return document + "</a>";
    }

    @ParameterizedTest
    @EnumSource(XmlForm.class)
    void moreCollidingNames_areRejected(XmlForm form) {
        assertRejected(form, collidingElements(DistinctNames.MAX_COLLIDING + 1), "names of one hash: more than 32");
    }

    /** Without a limit for names of one hash, the parser would compare each with all others. The binary form has numbers. */
    @Test
    void moreCollidingNames_costNoMore() {
        assertRejectionLinear("names of one hash", XmlForm.TEXT, 1000, n -> collidingElements(n));
    }

    /** Without a limit for attributes, the text parser would compare those of one hash with each other. */
    @Test
    void moreAttributes_costNoMore() {
        assertRejectionLinear("attributes", XmlForm.TEXT, 1000, n -> {
            StringBuilder element = new StringBuilder("<a");
            CollidingNames.of(n)
                    .forEach(name -> element.append(' ').append(name).append("='1'"));
            return element + "/>";
        });
    }

    /** Without a limit for declarations in scope, the text parser would search all of them for the prefix of each element. */
    @Test
    void moreNamespacesInScope_costNoMore() {
        assertRejectionLinear("namespaces in scope", XmlForm.TEXT, 1000, n -> {
            StringBuilder document = new StringBuilder("<p:r xmlns:p='urn:p'>");
            for (int level = 0; level < n / 100; level++) {
                document.append("<a");
                for (int i = 0; i < 100; i++) {
                    document.append(" xmlns:p")
                            .append(i)
                            .append("='urn:")
                            .append(i)
                            .append('\'');
                }
                document.append('>');
            }
            return document + "<p:c/>".repeat(n) + "</a>".repeat(n / 100) + "</p:r>";
        });
    }

    private static void assertRejectionLinear(String subject, XmlForm form, int n, IntFunction<String> documents) {
        ProcessorTime.assertLinear("rejected " + subject, n, size -> {
            MessageElement element = Samples.element(form, documents.apply(size));
            return () -> catchThrowableOfType(PeerFaultException.class, () -> read(element));
        });
    }

    @ParameterizedTest
    @EnumSource(XmlForm.class)
    void moreNamespacesInScope_areRejected(XmlForm form) {
        String head = "";
        for (int level = 0; level < 3; level++) {
            StringBuilder element = new StringBuilder("<a");
            for (int i = 0; i < 100; i++) {
                element.append(" xmlns:p").append(i).append("='urn:").append(i).append('\'');
            }
            head += element + ">";
        }
        assertRejected(form, head + "</a></a></a>", "namespaces in scope: 300 (expected: <= maxNamespaces 256)");
        // Declarations that are not in scope do not count.
        String sibling = head.substring(0, head.length() / 3) + "</a>";
        read(Samples.element(form, "<r>" + sibling.repeat(5) + "</r>"));
    }

    private static void assertRejected(XmlForm form, String document, String fault) {
        MessageElement element = Samples.element(form, document);
        assertThatThrownBy(() -> read(element))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining(fault);
    }
}
