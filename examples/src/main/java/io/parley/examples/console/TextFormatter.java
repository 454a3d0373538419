package io.parley.examples.console;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats values for the console. */
public final class TextFormatter {

    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB"};

    private TextFormatter() {}

    /** Returns the text without control characters, because text from another peer must not move the cursor of a terminal. */
    public static String oneLine(@Nullable String text) {
        if (text == null) {
            return "no reason given";
        }
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().map(TextFormatter::printable).forEach(clean::appendCodePoint);
        return clean.toString();
    }

    /** Returns the text as {@link #oneLine} does, with the line feeds and tabs kept. */
    public static String lines(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().map(c -> c == '\n' || c == '\t' ? c : printable(c)).forEach(clean::appendCodePoint);
        return clean.toString();
    }

    /** Returns the text with an escape for each character that {@link #oneLine} replaces, to show what a name really is. */
    public static String escaped(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (isHarmful(c)) {
                clean.append(String.format(Locale.ROOT, "\\u%04x", c));
            } else {
                clean.appendCodePoint(c);
            }
        });
        return clean.toString();
    }

    private static int printable(int codePoint) {
        return isHarmful(codePoint) ? ' ' : codePoint;
    }

    static boolean isHarmful(int codePoint) {
        int type = Character.getType(codePoint);
        return type == Character.CONTROL
                || type == Character.FORMAT
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
    }

    /** Returns a size, such as {@code 512 B} or {@code 1.0 GiB}. */
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

    /** Returns a number, such as {@code 10,000}. */
    public static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** Returns a number with a noun, such as {@code 1 file} or {@code 10,000 files}. */
    public static String count(long count, String noun) {
        return count(count) + " " + noun + (count == 1 ? "" : "s");
    }

    /** Returns a duration in seconds, such as {@code 0.42 s}. */
    public static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.2f s", duration.toNanos() / 1e9);
    }

    /** Returns a duration in milliseconds without the unit, such as {@code 0.420}. */
    public static String millis(Duration duration) {
        return String.format(Locale.ROOT, "%.3f", duration.toNanos() / 1e6);
    }

    /** Returns a duration in its largest unit, such as {@code 12 s}, {@code 5 min}, {@code 3 h} or {@code 2 d}. */
    public static String age(Duration duration) {
        if (duration.toSeconds() < 60) {
            return duration.toSeconds() + " s";
        }
        if (duration.toMinutes() < 60) {
            return duration.toMinutes() + " min";
        }
        return duration.toHours() < 48 ? duration.toHours() + " h" : duration.toDays() + " d";
    }

    /** Returns a rate, such as {@code 210.3 MiB/s}. */
    public static String rate(long bytes, Duration duration) {
        return bytes(bytes / Math.max(1e-6, duration.toNanos() / 1e9)) + "/s";
    }
}
