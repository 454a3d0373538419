package io.parley.examples.transfer;

import io.parley.examples.console.CommandFailedException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;

/**
 * Where a file belongs below the receiver's directory: names joined by {@code /}. Only paths that mean the same on every
 * system and can't lead out of the directory are paths at all.
 *
 * @param text the names
 */
record TransferPath(String text) {

    /** Where the receiver keeps unfinished files; no sender may write there. */
    static final String STAGING = ".parley-part";

    private static final int MAX_BYTES = 4096;
    private static final int MAX_NAME_BYTES = 255;

    /** Names that are devices on Windows, whatever extension they have. */
    private static final Set<String> DEVICES = Set.of(
            "con", "prn", "aux", "nul", "conin$", "conout$", "com0", "com1", "com2", "com3", "com4", "com5", "com6",
            "com7", "com8", "com9", "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9");

    /** @throws IllegalArgumentException naming what is wrong */
    TransferPath {
        if (utf8Length(text) > MAX_BYTES) {
            throw refusal(text.substring(0, 80) + "...", "it is longer than " + MAX_BYTES + " bytes");
        }
        for (String name : text.split("/", -1)) {
            check(text, name);
        }
        if (firstName(text).equalsIgnoreCase(STAGING)) {
            throw refusal(text, "the receiver keeps unfinished files there");
        }
    }

    private static void check(String path, String name) {
        if (name.isEmpty()) {
            throw refusal(path, "it is absolute or has an empty name in it");
        }
        if (name.equals(".") || name.equals("..")) {
            throw refusal(path, "it leads through '" + name + "'");
        }
        if (utf8Length(name) > MAX_NAME_BYTES) {
            throw refusal(path, "a name in it is longer than " + MAX_NAME_BYTES + " bytes");
        }
        if (name.codePoints().anyMatch(TransferPath::isForbidden)) {
            throw refusal(path, "it has a control character, a backslash or a colon in it");
        }
        if (name.endsWith(".") || name.endsWith(" ")) {
            throw refusal(path, "Windows drops the end of '" + name + "'");
        }
        if (DEVICES.contains(stem(name))) {
            throw refusal(path, "'" + name + "' is a device on Windows");
        }
    }

    private static boolean isForbidden(int codePoint) {
        int type = Character.getType(codePoint);
        return codePoint == '\\'
                || codePoint == ':'
                || type == Character.CONTROL
                || type == Character.SURROGATE
                || codePoint == 0xFFFD;
    }

    private static String stem(String name) {
        int dot = name.indexOf('.');
        return (dot < 0 ? name : name.substring(0, dot)).strip().toLowerCase(Locale.ROOT);
    }

    private static String firstName(String path) {
        int slash = path.indexOf('/');
        return slash < 0 ? path : path.substring(0, slash);
    }

    private static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static IllegalArgumentException refusal(String path, String reason) {
        return new IllegalArgumentException("path '" + path + "' is refused: " + reason);
    }

    /** The names, from the top. */
    String[] names() {
        return text.split("/");
    }

    /** The path below a directory. */
    Path below(Path directory) {
        Path path = directory;
        try {
            for (String name : names()) {
                path = path.resolve(name);
            }
        } catch (InvalidPathException e) {
            throw new CommandFailedException(
                    "This system can't name a file '" + text
                            + "'. On Unix, set LC_ALL=C.UTF-8 and run the command again.",
                    e);
        }
        return path;
    }

    @Override
    public String toString() {
        return text;
    }
}
