package io.parley.examples.transfer;

import io.parley.examples.console.CommandFailedException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.Locale;
import java.util.Set;

/**
 * The path of a file below the receiver's directory: names that are separated by {@code /}. A path is valid only if it
 * means the same on every system and cannot leave the directory.
 *
 * @param text the names, separated by {@code /}
 */
record TransferPath(String text) {

    /** The directory of unfinished files; a sender must not write there. */
    static final String STAGING = ".parley-part";

    private static final int MAX_BYTES = 4096;
    private static final int MAX_NAME_BYTES = 255;
    private static final int MAX_NAMES = 256;

    /** Names that are devices on Windows, with any extension. */
    private static final Set<String> DEVICES = Set.of(
            "con", "prn", "aux", "nul", "conin$", "conout$", "com0", "com1", "com2", "com3", "com4", "com5", "com6",
            "com7", "com8", "com9", "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9");

    /** @throws IllegalArgumentException if the path is invalid; the message contains the reason */
    TransferPath {
        if (utf8Length(text) > MAX_BYTES) {
            throw invalid(text.substring(0, 80) + "...", "longer than " + MAX_BYTES + " bytes");
        }
        String[] names = text.split("/", -1);
        if (names.length > MAX_NAMES) {
            throw invalid(text.substring(0, 80) + "...", "more than " + MAX_NAMES + " names");
        }
        for (String name : names) {
            check(text, name);
        }
        if (firstName(text).equalsIgnoreCase(STAGING)) {
            throw invalid(text, "reserved for unfinished files");
        }
    }

    private static void check(String path, String name) {
        if (name.isEmpty()) {
            throw invalid(path, "absolute, or contains an empty name");
        }
        if (name.equals(".") || name.equals("..")) {
            throw invalid(path, "contains '" + name + "'");
        }
        if (utf8Length(name) > MAX_NAME_BYTES) {
            throw invalid(path, "contains a name longer than " + MAX_NAME_BYTES + " bytes");
        }
        if (name.codePoints().anyMatch(TransferPath::isForbidden)) {
            throw invalid(path, "contains a control character, a line separator, a backslash or a colon");
        }
        if (name.endsWith(".") || name.endsWith(" ")) {
            throw invalid(path, "Windows removes the end of '" + name + "'");
        }
        if (DEVICES.contains(stem(name))) {
            throw invalid(path, "'" + name + "' is a device on Windows");
        }
    }

    private static boolean isForbidden(int codePoint) {
        int type = Character.getType(codePoint);
        return codePoint == '\\'
                || codePoint == ':'
                || type == Character.CONTROL
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR
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

    private static IllegalArgumentException invalid(String path, String reason) {
        return new IllegalArgumentException("path '" + path + "' is rejected: " + reason);
    }

    /** Returns the names, from the top. */
    String[] names() {
        return text.split("/");
    }

    int bytes() {
        return utf8Length(text);
    }

    /** Returns whether a name begins with a dot, as those of configuration files on Unix do. */
    boolean isHidden() {
        return text.startsWith(".") || text.contains("/.");
    }

    /** Returns whether the path has characters without a shape of their own, which may make it look like another one. */
    boolean hasInvisibleCharacters() {
        return text.codePoints().anyMatch(c -> Character.getType(c) == Character.FORMAT);
    }

    /** Returns whether the paths have different names in the same place that many file systems do not distinguish. */
    boolean isConfusedWith(TransferPath other) {
        String[] names = names();
        String[] others = other.names();
        for (int i = 0;
                i < names.length && i < others.length && folded(names[i]).equals(folded(others[i]));
                i++) {
            if (!names[i].equals(others[i])) {
                return true;
            }
        }
        return false;
    }

    /** Returns a text by which paths are sorted so that those that may be {@linkplain #isConfusedWith confused} are neighbors. */
    String sortKey() {
        return folded(text).replace('/', '\0');
    }

    private static String folded(String name) {
        return Normalizer.normalize(name, Normalizer.Form.NFC)
                .toUpperCase(Locale.ROOT)
                .toLowerCase(Locale.ROOT);
    }

    /** Returns the path below a directory. */
    Path below(Path directory) {
        Path path = directory;
        try {
            for (String name : names()) {
                path = path.resolve(name);
            }
        } catch (InvalidPathException e) {
            throw new CommandFailedException(
                    "This system does not support the file name '" + text
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
