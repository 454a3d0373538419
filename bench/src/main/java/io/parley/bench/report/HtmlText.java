package io.parley.bench.report;

import java.util.Locale;

/** Formats numbers and text for the HTML report. */
final class HtmlText {

    private static final double THREE_DIGITS_MIN = 1000;
    private static final double TENTHS_BELOW = 100;
    private static final double HUNDREDTHS_BELOW = 10;
    private static final double TWO_DIGITS_BELOW = 0.1;

    private HtmlText() {}

    /** Returns a number with about three significant digits (two if it is far below one) and separated thousands. */
    static String number(double value) {
        double size = Math.abs(value);
        if (Double.isNaN(value)) {
            return "–";
        }
        if (size >= THREE_DIGITS_MIN) {
            double step = Math.pow(10, Math.floor(Math.log10(size)) - 2);
            return String.format(Locale.ROOT, "%,.0f", Math.round(value / step) * step)
                    .replace(',', '\u202f');
        }
        if (size >= TENTHS_BELOW || value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        if (size >= HUNDREDTHS_BELOW) {
            return String.format(Locale.ROOT, "%.1f", value);
        }
        int digits = size < TWO_DIGITS_BELOW ? 1 - (int) Math.floor(Math.log10(size)) : 2;
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    /** Returns the short form for axes, such as 1k or 20M. */
    static String axis(double value) {
        if (value >= 1e6) {
            return plain(value / 1e6) + "M";
        }
        return value >= 1e3 ? plain(value / 1e3) + "k" : plain(value);
    }

    private static String plain(double value) {
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%s", (float) value);
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** Returns a number for use in an SVG attribute. */
    static String px(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
