package io.parley.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the test vectors in {@code docs/wire-format.md}. */
public final class WireFormatDocument {

    /** A field: hex digits that are followed by one blank or the end of the line. Text after two blanks is a comment. */
    private static final Pattern FIELDS = Pattern.compile("(?m)^ *((?:[0-9a-f]+ )*[0-9a-f]+)(?:  .*)?$");

    private static final String FENCE = "```";

    private WireFormatDocument() {}

    /** Returns the text of the document. */
    public static String text() throws IOException {
        String text = Files.readString(findDocument());
        requireClosedBlocks(text);
        return text;
    }

    /** Returns the content of the code block that begins with three backquotes, the language, a blank and the name. */
    public static String block(String language, String name) throws IOException {
        Matcher block = Pattern.compile("```" + language + " " + name + "\\R(.*?)```", Pattern.DOTALL)
                .matcher(text());
        assertThat(block.find())
                .as("%s block %s in docs/wire-format.md", language, name)
                .isTrue();
        return block.group(1);
    }

    /** Returns the hex digits of the block with the language {@code hex} and the name. */
    public static String vector(String name) throws IOException {
        StringBuilder hex = new StringBuilder();
        Matcher fields = FIELDS.matcher(block("hex", name));
        while (fields.find()) {
            hex.append(fields.group(1).replace(" ", ""));
        }
        return hex.toString();
    }

    /** Fails if a block has no end, or contains a heading because its end is misplaced: the rest would be shown as code. */
    static void requireClosedBlocks(String markdown) {
        List<String> lines = markdown.lines().toList();
        int began = 0;
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1);
            if (line.equals(FENCE) || (began == 0 && line.startsWith(FENCE))) {
                began = began == 0 ? number : 0;
            } else if (began != 0 && (line.startsWith(FENCE) || line.startsWith("#"))) {
                throw new AssertionError("line " + number + " is inside the block that starts at line " + began);
            }
        }
        assertThat(began).as("line of the block that does not end").isZero();
    }

    /** Searches the parent folders, because tests run in the folder of the module or of the project. */
    private static Path findDocument() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path document = folder.resolve("docs").resolve("wire-format.md");
            if (Files.exists(document)) {
                return document;
            }
        }
        throw new AssertionError("no docs/wire-format.md above " + Path.of("").toAbsolutePath());
    }
}
