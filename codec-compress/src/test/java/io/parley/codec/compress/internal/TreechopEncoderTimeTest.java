package io.parley.codec.compress.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.testkit.CollidingNames;
import io.parley.testkit.ProcessorTime;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** The processor time of splitting a document and of writing its nodes is linear in its size, also for one that is refused at its end. */
final class TreechopEncoderTimeTest {

    private static void assertLinear(String subject, int n, boolean accepted, IntFunction<String> documents) {
        ProcessorTime.assertLinear(subject, n, size -> {
            byte[] document = documents.apply(size).getBytes(UTF_8);
            assertThat(encode(document)).isEqualTo(accepted);
            return () -> encode(document);
        });
    }

    private static boolean encode(byte[] document) {
        TreechopEncoder encoder = new TreechopEncoder(document.length);
        return XmlReader.read(document, encoder) && encoder.isComplete();
    }

    @Test
    void elements() {
        assertLinear("elements", 250, true, n -> "<a>" + "<b c='1' d=\"2\" >x<!-- - --></b>".repeat(n) + "</a>");
    }

    @Test
    void elementWithoutEnd() {
        assertLinear("elements without end", 1000, false, n -> "<a>" + "<b>x</b>".repeat(n));
    }

    @Test
    void commentWithoutEnd() {
        assertLinear("comment without end", 2000, false, n -> "<a><!--" + "->--<!--".repeat(n) + "</a>");
    }

    @Test
    void manyMarksInATag() {
        assertLinear("tag", 1000, true, n -> "<a " + "'>' / <b = \"/>\" ".repeat(n) + "></a>");
    }

    @Test
    void longNames() {
        assertLinear("names", 2, true, n -> ("<a>" + "<b " + "b".repeat(2000) + "/>").repeat(n) + "</a>".repeat(n));
        assertLinear(
                "end tags",
                250,
                true,
                n -> "<a>" + ("<" + "b".repeat(50) + "></" + "b".repeat(50) + ">").repeat(n) + "</a>");
    }

    @Test
    void declarations() {
        assertLinear(
                "declarations",
                1000,
                true,
                n -> "<!DOCTYPE a [" + "<!-- ' --> <? \" ?> '<!--' [ ] <![".repeat(n) + "]".repeat(n) + "]><a/>");
        assertLinear(
                "declarations without end", 1000, false, n -> "<!DOCTYPE a [" + "<!-- ' --> <? \" ?> '<!--'".repeat(n));
        assertLinear("comments before the root", 1000, false, n -> "<!-- -- <a> --><?b?>".repeat(n));
    }

    @Test
    void nodesThatAreTooLarge() {
        String deep = "<a>".repeat(125);
        assertLinear("nodes that are too large", 1000, false, n -> deep + "<a/>".repeat(n) + "</a>".repeat(125));
    }

    /** The keys of a path's children have the same hash code. */
    @Test
    void collidingNames() {
        List<String> names = CollidingNames.of(480);
        assertLinear("names of one hash", 120, true, n -> {
            StringBuilder document = new StringBuilder("<a>");
            for (int i = 0; i < 40 * n; i++) {
                document.append('<').append(names.get(i % n)).append("/>");
            }
            return document + "</a>";
        });
    }

    @Test
    void pathsThatAreTooMany() {
        assertLinear("paths that are too many", 1000, false, n -> {
            StringBuilder document = new StringBuilder("<a>");
            CollidingNames.of(n)
                    .forEach(name -> document.append('<').append(name).append("/>"));
            return document + "</a>";
        });
    }
}
