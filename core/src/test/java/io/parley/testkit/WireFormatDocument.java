package io.parley.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The vectors in {@code docs/wire-format.md}. */
public final class WireFormatDocument {

    /** A field: hex digits that are followed by one blank or end a line; what comes after two blanks is a remark. */
    private static final Pattern FIELDS = Pattern.compile("(?m)^ *((?:[0-9a-f]+ )*[0-9a-f]+)(?:  .*)?$");

    private WireFormatDocument() {}

    /** The hex digits of the block that begins with three backquotes, "hex" and the name. */
    public static String vector(String name) throws IOException {
        Path document = findDocument();
        Matcher block = Pattern.compile("```hex " + name + "\\R(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(document));
        assertThat(block.find()).as("vector %s in %s", name, document).isTrue();
        StringBuilder hex = new StringBuilder();
        Matcher fields = FIELDS.matcher(block.group(1));
        while (fields.find()) {
            hex.append(fields.group(1).replace(" ", ""));
        }
        return hex.toString();
    }

    /** Tests run in the module's folder or in the project's, so the document is looked for upwards. */
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
