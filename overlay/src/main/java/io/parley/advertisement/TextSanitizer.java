package io.parley.advertisement;

/** Quotes untrusted text for messages and logs: shortened, and with harmful characters escaped. */
final class TextSanitizer {
    private static final int MAX_CHARS = 80;

    private TextSanitizer() {}

    static String of(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        int length = Math.min(text.length(), MAX_CHARS);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c <= '~') {
                quoted.append(c);
            } else {
                quoted.append(String.format("\\u%04x", (int) c));
            }
        }
        return quoted.append(text.length() > length ? "...\"" : "\"").toString();
    }
}
