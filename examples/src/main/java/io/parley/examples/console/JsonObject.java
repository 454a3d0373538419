package io.parley.examples.console;

/** Builds a JSON object on one line. The fields keep the order in which they are added. */
public final class JsonObject {

    private final StringBuilder text = new StringBuilder("{");

    /** Returns a new object without fields. */
    public static JsonObject object() {
        return new JsonObject();
    }

    private JsonObject() {}

    public JsonObject add(String name, String value) {
        return field(name, quote(value));
    }

    public JsonObject add(String name, long value) {
        return field(name, Long.toString(value));
    }

    public JsonObject add(String name, boolean value) {
        return field(name, Boolean.toString(value));
    }

    /** Adds a number, rounded to three decimals; infinity and NaN become {@code null}, because JSON has no form for them. */
    public JsonObject add(String name, double value) {
        return field(name, Double.isFinite(value) ? Double.toString(Math.round(value * 1000) / 1000.0) : "null");
    }

    private JsonObject field(String name, String value) {
        text.append(text.length() == 1 ? "" : ",")
                .append(quote(name))
                .append(':')
                .append(value);
        return this;
    }

    private static String quote(String value) {
        StringBuilder quoted = new StringBuilder(value.length() + 2).append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"', '\\' -> quoted.append('\\').append(c);
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (TextFormatter.isHarmful(c)) { // a surrogate is, too
                        quoted.append("\\u");
                        for (int shift = 12; shift >= 0; shift -= 4) {
                            quoted.append(Character.forDigit(c >> shift & 0xf, 16));
                        }
                    } else {
                        quoted.append(c);
                    }
                }
            }
        }
        return quoted.append('"').toString();
    }

    /** Returns the object as text, without a line end. */
    @Override
    public String toString() {
        return text + "}";
    }
}
