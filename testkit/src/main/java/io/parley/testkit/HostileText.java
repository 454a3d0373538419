package io.parley.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Text with which a remote peer tries to control a terminal, forge a line of a log, or hide and reorder characters. */
public final class HostileText {

    /** The harmful code points, one of each kind: C0, DEL, C1, line separators, bidirectional controls, without width. */
    public static final List<Integer> CODE_POINTS = List.of(
            0x1b, 0x07, 0x08, 0x0d, 0x0a, 0x7f, 0x85, 0x9b, 0x2028, 0x2029, 0x200e, 0x202e, 0x2066, 0x200b, 0x200d,
            0xfeff, 0xe0041);

    /** The word that begins each forged line. */
    public static final String FORGED = "FORGED";

    /** A text with all harmful code points that is at most 120 bytes long in UTF-8. */
    public static final String TEXT = text(CODE_POINTS);

    /** A text with the harmful code points that XML 1.0 allows. */
    public static final String XML_TEXT =
            text(CODE_POINTS.stream().filter(c -> c >= 0x7f || c == '\n').toList());

    private HostileText() {}

    private static String text(List<Integer> codePoints) {
        StringBuilder text = new StringBuilder("a");
        for (int codePoint : codePoints) {
            text.appendCodePoint(codePoint);
            if (codePoint == '\n' || codePoint == 0x85 || codePoint == 0x2028 || codePoint == 0x2029) {
                text.append(FORGED);
            }
        }
        return text.append('z').toString();
    }

    /** Asserts that a text is one line without harmful characters. */
    public static void assertPrintable(String text) {
        assertPrintableLines(text);
        assertThat(text).doesNotContain("\n", "\t");
    }

    /** Asserts that lines, such as a log, have no harmful characters, and that no line is forged. */
    public static void assertPrintableLines(String lines) {
        assertThat(lines.codePoints().filter(HostileText::isHarmful).boxed())
                .as("harmful characters in: %s", lines)
                .isEmpty();
        assertThat(lines.lines()).noneMatch(line -> line.startsWith(FORGED));
    }

    /** Asserts that the message and the stack trace of a failure, with its causes, have no harmful characters. */
    public static void assertPrintable(Throwable failure) {
        assertPrintable(String.valueOf(failure.getMessage()));
        StringWriter stack = new StringWriter();
        failure.printStackTrace(new PrintWriter(stack, true));
        assertPrintableLines(stack.toString());
    }

    private static boolean isHarmful(int codePoint) {
        return codePoint != '\n' && codePoint != '\t' && (CODE_POINTS.contains(codePoint) || codePoint < ' ');
    }
}
