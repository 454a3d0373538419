package io.parley.examples.console;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How values look in lines for people. */
public final class TextFormatter {

    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB"};

    private TextFormatter() {}

    /** One line without anything that a terminal would obey: what another peer sent must not move the cursor. */
    public static String oneLine(@Nullable String text) {
        if (text == null) {
            return "no reason given";
        }
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().map(TextFormatter::harmless).forEach(clean::appendCodePoint);
        return clean.toString();
    }

    private static int harmless(int codePoint) {
        int type = Character.getType(codePoint);
        boolean bad = type == Character.CONTROL
                || type == Character.FORMAT
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
        return bad ? ' ' : codePoint;
    }

    /** Such as {@code 512 B} or {@code 1.0 GiB}. */
    public static String bytes(long bytes) {
        return bytes((double) bytes);
    }

    private static String bytes(double bytes) {
        if (bytes < 1024) {
            return String.format(Locale.ROOT, "%.0f B", bytes);
        }
        double value = bytes / 1024;
        int unit = 0;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
    }

    /** Such as {@code 10,000}. */
    public static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** Such as {@code 1 file} or {@code 10,000 files}. */
    public static String count(long count, String noun) {
        return count(count) + " " + noun + (count == 1 ? "" : "s");
    }

    /** Such as {@code 0.42 s}. */
    public static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.2f s", duration.toNanos() / 1e9);
    }

    /** Such as {@code 210.3 MiB/s}. */
    public static String rate(long bytes, Duration duration) {
        return bytes(bytes / Math.max(1e-6, duration.toNanos() / 1e9)) + "/s";
    }
}
