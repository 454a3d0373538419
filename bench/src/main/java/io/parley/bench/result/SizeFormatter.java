package io.parley.bench.result;

/** Formats message sizes for display. */
public final class SizeFormatter {

    private static final int KILO = 1 << 10;
    private static final int MEGA = 1 << 20;

    private SizeFormatter() {}

    /** Returns a text such as "64 B", "16 KB" or "1 MB" (binary multiples). */
    public static String text(int bytes) {
        if (bytes >= MEGA && bytes % MEGA == 0) {
            return bytes / MEGA + " MB";
        }
        return bytes >= KILO && bytes % KILO == 0 ? bytes / KILO + " KB" : bytes + " B";
    }
}
