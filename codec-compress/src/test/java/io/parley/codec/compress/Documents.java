package io.parley.codec.compress;

import java.util.Random;

/** XML documents for tests. */
final class Documents {

    private static final String[] NAMES = {"name", "first", "last", "phone", "ns:item", "\u00fcber"};
    private static final String[] WORDS = {
        "Anthony", "Miller", "Cubical Farmer", "416-610-1056", "a &amp; b", "\u4e2d\u6587"
    };

    private Documents() {}

    /** Returns a document of 200 bytes to 64 KiB in which names and words recur. */
    static String random(Random random) {
        return random(random, 40);
    }

    /** Returns such a document with 2 records or more. */
    static String random(Random random, int maxRecords) {
        StringBuilder document = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<records>\n");
        for (int records = 2 + random.nextInt(maxRecords - 1); records > 0; records--) {
            document.append(" <record id=\"").append(random.nextInt(1_000_000)).append("\">\n");
            for (int fields = 1 + random.nextInt(5); fields > 0; fields--) {
                appendField(document, random);
            }
            document.append(" </record>\n");
        }
        return document.append("</records>\n").toString();
    }

    private static void appendField(StringBuilder document, Random random) {
        String name = NAMES[random.nextInt(NAMES.length)];
        String word = WORDS[random.nextInt(WORDS.length)];
        switch (random.nextInt(8)) {
            case 0 -> document.append("  <").append(name).append("/>\n");
            case 1 ->
                document.append("  <")
                        .append(name)
                        .append(" value='")
                        .append(word)
                        .append("'/>\n");
            case 2 -> document.append("  <!-- ").append(word).append(" -->\n");
            case 3 ->
                document.append("  <")
                        .append(name)
                        .append("><![CDATA[")
                        .append(word)
                        .append("]]></")
                        .append(name)
                        .append(">\n");
            default ->
                document.append("  <")
                        .append(name)
                        .append('>')
                        .append(word)
                        .append("</")
                        .append(name)
                        .append(">\n");
        }
    }
}
