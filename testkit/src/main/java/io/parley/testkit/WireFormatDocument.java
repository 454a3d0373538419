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

    /** A field: hex digits followed by one blank or the end of the line. Text after two blanks is a comment. */
    private static final Pattern FIELDS = Pattern.compile("(?m)^ *((?:[0-9a-f]+ )*[0-9a-f]+)(?:  .*)?$");

    private static final String FENCE = "```";

    private WireFormatDocument() {}

    /** Returns the hex digits of the block that starts with three backquotes, "hex" and the name. */
    public static String vector(String name) throws IOException {
        Path document = findDocument();
        String text = Files.readString(document);
        requireClosedBlocks(text);
        Matcher block = Pattern.compile("```hex " + name + "\\R(.*?)```", Pattern.DOTALL)
                .matcher(text);
        assertThat(block.find()).as("vector %s in %s", name, document).isTrue();
        StringBuilder hex = new StringBuilder();
        Matcher fields = FIELDS.matcher(block.group(1));
        while (fields.find()) {
            hex.append(fields.group(1).replace(" ", ""));
        }
        return hex.toString();
    }

    /** Fails if a block does not end, or contains a heading because its end is missing and the rest is rendered as code. */
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

    /** Finds the document in the parent directories, because tests run in the directory of the module or of the project. */
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
